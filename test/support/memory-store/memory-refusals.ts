import type { RefusedCall } from '../../../src/domain/usage/refused-call.ts';
import { formatCursor, parseCursor } from '../../../src/storage/cursor.ts';
import {
  type RefusalCount,
  type RefusalFilter,
  type RefusalStore,
  sortCounts,
} from '../../../src/storage/refusal-store.ts';
import { HOUR_MS } from '../../../src/domain/time/units.ts';
import { isIn } from './memory-ledger.ts';

interface MemoryRefusal {
  readonly id: number;
  readonly journalId: string;
  call: RefusedCall;
  isPruned: boolean;
}

/** Refused calls in a list. */
export class MemoryRefusals {
  readonly all: MemoryRefusal[] = [];

  append(call: RefusedCall, journalId: string): void {
    const known = this.all.find(
      (each) => !each.isPruned && isSameRefusal(each.call, call) && (!call.isSum || each.journalId === journalId),
    );
    if (!known) this.all.push({ id: this.all.length + 1, journalId, call: wellFormedRefusal(call), isPruned: false });
    else if (call.isSum && call.callId > known.call.callId)
      known.call = { ...known.call, callId: call.callId, calls: known.call.calls + call.calls };
  }
}

function isSameRefusal(a: RefusedCall, b: RefusedCall): boolean {
  if (!a.isSum || !b.isSum) return a.isSum === b.isSum && a.callId === b.callId;
  return sumName(a) === sumName(b);
}

function sumName({ workspaceId, at, keyId, limitId, reason }: RefusedCall): string {
  return JSON.stringify([workspaceId, at, keyId, limitId, reason]);
}

function wellFormedRefusal(call: RefusedCall): RefusedCall {
  return { ...call, model: call.model?.toWellFormed() ?? null, value: call.value?.toWellFormed() ?? null };
}

function passesRefusalFilter({ limitId, keyId, reason }: RefusedCall, filter: RefusalFilter): boolean {
  return (
    (filter.limitId === undefined || filter.limitId === limitId) &&
    (filter.keyId === undefined || filter.keyId === keyId) &&
    (filter.reason === undefined || filter.reason === reason)
  );
}

export function memoryRefusals({ all }: MemoryRefusals): RefusalStore {
  return {
    async page(workspaceId, { range, filter, cursor, limit }) {
      const before = cursor === null ? null : parseCursor(cursor);
      const found = all
        .filter(({ call, isPruned }) => !isPruned && call.workspaceId === workspaceId && isIn(range, call.at))
        .filter(({ call }) => passesRefusalFilter(call, filter))
        .filter(({ call: { context } }) =>
          (['session', 'agent', 'run'] as const).every(
            (name) => filter[name] === undefined || filter[name] === context[name],
          ),
        )
        .toSorted((a, b) => b.call.at - a.call.at || b.id - a.id)
        .filter(
          ({ id, call: { at } }) => !before || at < before.startedAt || (at === before.startedAt && id < before.id),
        );
      const page = found.slice(0, limit);
      const last = page.at(-1);
      const next = found.length > limit && last ? formatCursor({ startedAt: last.call.at, id: last.id }) : null;
      return { rows: page.map(({ call }) => call), next };
    },
    async find(workspaceId, callId) {
      const found = all.find(
        ({ call, isPruned }) => !isPruned && !call.isSum && call.workspaceId === workspaceId && call.callId === callId,
      );
      return found?.call ?? null;
    },
    async counts(workspaceId, range, filter) {
      const counts = new Map<string, RefusalCount>();
      for (const { call, isPruned } of all) {
        const hour = Math.floor(call.at / HOUR_MS) * HOUR_MS;
        const isWholeHour = hour >= range.start && hour + HOUR_MS <= range.end;
        if (call.workspaceId !== workspaceId || !passesRefusalFilter(call, filter)) continue;
        if (!isWholeHour && (isPruned || !isIn(range, call.at))) continue;
        const { limitId, keyId, reason } = call;
        const name = JSON.stringify([limitId, keyId, reason]);
        counts.set(name, { limitId, keyId, reason, calls: call.calls + (counts.get(name)?.calls ?? 0) });
      }
      return sortCounts([...counts.values()]);
    },
    async prune(workspaceId, before, limit) {
      const old = all
        .filter(({ call, isPruned }) => !isPruned && call.workspaceId === workspaceId && call.at < before)
        .toSorted((a, b) => a.call.at - b.call.at || a.id - b.id)
        .slice(0, limit);
      for (const each of old) each.isPruned = true;
      return old.length;
    },
  };
}
