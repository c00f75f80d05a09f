import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { restOfDay } from '../core/report-rest.ts';
import type { AdminKey } from '../storage/records/admin-key-records.ts';
import type { ReportRestStore } from '../storage/report-rest.ts';
import { type DayParts, type KnownKeys, knownKeys, organizationDay, termsOf, termSpans } from './organization-day.ts';
import { readDays } from './plan.ts';
import type { DayWindow } from './source.ts';
import { reportSourceOf } from './sources.ts';

/** Days that are looked for at once. */
const SLICE_DAYS = 50;

export interface SettleParts extends DayParts {
  readonly reportRest: ReportRestStore;
}

/** What was done of a connection. */
interface Settled {
  readonly days: number;
  readonly keys: KnownKeys;
}

/**
 * Works out anew what days of a connection hold beyond the gate, where its report, calls or what is known of keys
 * changed. null = nothing of it was read yet.
 * @param compared by connection, what its settled days were last compared with
 */
export async function settleReports(
  parts: SettleParts,
  key: AdminKey,
  compared: Map<string, string>,
  signal: AbortSignal,
): Promise<Settled | null> {
  const source = reportSourceOf(key.provider);
  const days = source && readDays(source, await parts.providerReports.states(key.id));
  if (!days) return null;
  const keys = await knownKeys(parts, key, days.closedBefore);
  await unsettleOthers(parts, key.id, keys, days, compared);
  const { id: connectionId, workspaceId, provider } = key;
  for (let settled = 0; ;) {
    const due = await parts.reportRest.unsettled(connectionId, SLICE_DAYS);
    if (due.length === 0) return { days: settled, keys };
    for (const { day, serial } of due) {
      if (signal.aborted) return { days: settled, keys };
      const organization = await organizationDay(parts, key, keys, day);
      const { isClosed } = organization;
      const rows = restOfDay(organization);
      const terms = termsOf(keys, day);
      await parts.reportRest.settle({ connectionId, workspaceId, provider, day, serial, isClosed, terms, rows });
      settled += 1;
      await nextTurn();
    }
  }
}

/** Days that were settled by other terms than would be right now. */
async function unsettleOthers(
  { reportRest }: SettleParts,
  id: string,
  keys: KnownKeys,
  days: DayWindow,
  compared: Map<string, string>,
): Promise<void> {
  const held = keys.held.map((key) => [key.id, key.heldSince, key.heldUntil]);
  const now = hash('sha256', JSON.stringify([keys.hinted, held, keys.closedBefore, days]), 'base64url');
  if (compared.get(id) === now) return;
  for (const span of termSpans(keys, days))
    await reportRest.unsettle(id, span, { termsOtherThan: termsOf(keys, span.start) });
  compared.set(id, now);
}
