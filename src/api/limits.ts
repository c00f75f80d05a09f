import type { limitInput } from '../contract/routes/limits.ts';
import type { z } from 'zod';
import { endpoint } from './http/endpoint.ts';
import { readExpiry } from '../contract/fields.ts';
import { limitView, standingViews } from './limit-view.ts';
import { TollbookError } from '../domain/errors.ts';
import {
  DEFAULT_THRESHOLDS,
  formatUncertain,
  parseAmount,
  parseUncertain,
  shownAmount,
  trimScope,
} from '../domain/limits/limit-fields.ts';
import {
  type CounterStatus,
  type Limit,
  type LimitScope,
  type UncertainRule,
  type LimitUnit,
  type LimitWindow,
  LIMIT_WINDOWS,
  scopeKeyId,
} from '../domain/limits/limit.ts';
import { type PreviewServices, previewLimit } from './preview-limit.ts';
import { unlessUnchanged } from '../domain/identity/stored-value.ts';
import { checkLimit, type NewLimit } from '../storage/records/check-limit.ts';
import { parseDuration } from '../domain/time/duration.ts';
import type { LimitKind } from '../storage/records/limits.ts';
import type { ObservedStore } from '../storage/observed-store.ts';
import type { PricingOf } from '../storage/session-store.ts';
import type { GatewayNotices } from './gateway-notices.ts';
import { unknownProvider } from './unknown-provider.ts';

export interface LimitServices extends PreviewServices {
  readonly gateway: Pick<GatewayNotices, 'limitChanged' | 'limitRemoved'>;
  readonly observed: Pick<ObservedStore, 'countedSums'>;
  readonly pricingOf: PricingOf;
  /** Returns the counters of limits: from the gateway, or the stored ones when none runs. */
  standings(limits: readonly Limit[]): Promise<readonly CounterStatus[]>;
}

export const listLimits = endpoint(
  'GET /api/manage/limits',
  async ({ caller, query }, { records, standings, clock }: LimitServices) => {
    const { workspaceId } = caller;
    const found = await records.limits.page(workspaceId, query.cursor ?? null, query.limit + 1);
    const page = found.slice(0, query.limit);
    const limits = standingViews(page, await standings(page), clock(), query.values);
    return { limits, nextCursor: found.length > page.length ? (page.at(-1)?.id ?? null) : null };
  },
);

export const getLimit = endpoint(
  'GET /api/manage/limits/{id}',
  async ({ caller, path, query }, { records, standings, clock }: LimitServices) => {
    const limit = await records.limits.get(caller.workspaceId, path.id);
    const [view] = standingViews([limit], await standings([limit]), clock(), query.values);
    if (!view) throw new TollbookError('not_found', `There is no limit "${path.id}" in this workspace.`);
    return view;
  },
);

/** Reads the fields that identify a limit in its workspace. */
export function readLimitKind(
  { unit, scope = { kind: 'workspace' }, window, action = 'block' }: z.output<typeof limitInput>,
  workspaceId: string,
): LimitKind {
  return { workspaceId, scope: trimScope(scope), unit, window: window ?? defaultWindow(unit, scope), action };
}

/**
 * Builds the limit to store; the store validates its fields. `stored`: the existing limit of the same kind. Throws
 * `invalid`, naming the field.
 */
export function readNewLimit(
  input: z.output<typeof limitInput>,
  kind: LimitKind,
  { providers }: Pick<LimitServices, 'providers'>,
  stored?: Limit,
): NewLimit {
  checkLimitProvider(kind.scope, providers);
  return {
    ...kind,
    amount: readAmount(kind.unit, input.amount, stored),
    thresholds: input.thresholds ?? DEFAULT_THRESHOLDS,
    uncertain: readUncertainRule(input.uncertainRule ?? 'keep', stored),
    label: input.label ?? null,
    countsObserved: input.countsObserved ?? false,
  };
}

/** Reads an amount. If it equals the displayed one, the stored exact amount is kept. */
function readAmount(unit: LimitUnit, written: number | string, stored: Limit | undefined): number {
  const before = stored?.unit === unit ? stored.amount : undefined;
  const shown = before === undefined ? undefined : shownAmount(unit, before);
  return unlessUnchanged(before, written, () => parseAmount(unit, written, 'amount'), shown);
}

/** Reads the rule for uncertain calls. If it equals the displayed one, the stored rule is kept. */
function readUncertainRule(written: string, stored: Limit | undefined): UncertainRule {
  const before = stored?.uncertain;
  const shown = before === undefined ? undefined : formatUncertain(before);
  return unlessUnchanged(before, written.trim(), () => parseUncertain(written, 'uncertainRule'), shown);
}

/** Rejects unknown providers: a limit with a misspelled one would never count a call. */
function checkLimitProvider(scope: LimitScope, providers: LimitServices['providers']): void {
  if (scope.kind !== 'provider' || providers.has(scope.provider)) return;
  throw unknownProvider(scope.provider, providers.keys(), 'scope');
}

function defaultWindow(unit: LimitUnit, { kind }: LimitScope): LimitWindow {
  // A session, agent or run ends by itself.
  if (unit === 'concurrency' || kind === 'each') return 'total';
  throw new TollbookError('invalid', `window is missing; choose one of ${LIMIT_WINDOWS.join(', ')}.`, 'window');
}

export const createLimit = endpoint(
  'POST /api/manage/limits',
  async ({ caller, body }, { records, providers, gateway }: LimitServices) => {
    const input = readNewLimit(body, readLimitKind(body, caller.workspaceId), { providers });
    const created = await records.limits.create(input, caller.actor);
    gateway.limitChanged(created);
    return limitView(created);
  },
);

export const previewNewLimit = endpoint(
  'POST /api/manage/limits/preview',
  async ({ caller, body }, services: LimitServices) => {
    const { records, providers } = services;
    const kind = readLimitKind(body, caller.workspaceId);
    const keyId = scopeKeyId(kind.scope);
    if (keyId !== null) await records.keys.get(caller.workspaceId, keyId);
    const there = (await records.limits.find(kind)) ?? undefined;
    const input = checkLimit(readNewLimit(body, kind, { providers }, there), there);
    const { timeZone } = await records.workspaces.get(caller.workspaceId);
    return await previewLimit(input, there?.zones ?? [{ zone: timeZone, since: 0 }], services);
  },
);

export const setLimit = endpoint(
  'PUT /api/manage/limits',
  async ({ caller, body, requireMatch }, { records, providers, gateway }: LimitServices) => {
    const { workspaceId, actor } = caller;
    const kind = readLimitKind(body, workspaceId);
    const there = (await records.limits.find(kind)) ?? undefined;
    if (!there) requireMatch(null);
    const { thresholds, uncertain, label, countsObserved, ...input } = checkLimit(
      readNewLimit(body, kind, { providers }, there),
      there,
    );
    const change = {
      amount: input.amount,
      ...(body.thresholds && { thresholds }),
      ...(body.uncertainRule !== undefined && { uncertain }),
      ...(body.label !== undefined && { label }),
      ...(body.countsObserved !== undefined && { countsObserved }),
    };
    const set = there
      ? await records.limits.update(workspaceId, there.id, change, actor, (now) => requireMatch(limitView(now)))
      : await records.limits.create({ ...input, thresholds, uncertain, label, countsObserved }, actor);
    gateway.limitChanged(set);
    const counterpart = await records.limits.find({ ...input, action: set.action === 'block' ? 'warn' : 'block' });
    return { ...limitView(set), ...(counterpart && { counterpart: limitView(counterpart) }) };
  },
);

export const updateLimit = endpoint(
  'PATCH /api/manage/limits/{id}',
  async ({ caller, path, body, requireMatch }, { records, providers, gateway }: LimitServices) => {
    const { workspaceId, actor } = caller;
    const { scope, unit, amount, window, action, thresholds, uncertainRule, label, countsObserved } = body;
    const before = await records.limits.get(workspaceId, path.id);
    if (scope) checkLimitProvider(scope, providers);
    const change = {
      ...(scope && { scope }),
      ...(unit && { unit }),
      ...(amount !== undefined && { amount: readAmount(unit ?? before.unit, amount, before) }),
      ...(window && { window }),
      ...(action && { action }),
      ...(thresholds && { thresholds }),
      ...(uncertainRule !== undefined && { uncertain: readUncertainRule(uncertainRule, before) }),
      ...(label !== undefined && { label }),
      ...(countsObserved !== undefined && { countsObserved }),
    };
    const changed = await records.limits.update(workspaceId, path.id, change, actor, (now) =>
      requireMatch(limitView(now)),
    );
    gateway.limitChanged(changed);
    return limitView(changed);
  },
);

export const removeLimit = endpoint(
  'DELETE /api/manage/limits/{id}',
  async ({ caller, path, requireMatch }, { records, gateway }: LimitServices) => {
    const removed = await records.limits.remove(caller.workspaceId, path.id, caller.actor, (now) =>
      requireMatch(limitView(now)),
    );
    gateway.limitRemoved(removed);
    return limitView(removed);
  },
);

export const raiseLimit = endpoint(
  'POST /api/manage/limits/{id}/raise',
  async ({ caller, path, body, requireMatch }, { records, gateway, clock }: LimitServices) => {
    const { workspaceId, actor } = caller;
    const { unit } = await records.limits.get(workspaceId, path.id);
    const raise = { amount: parseAmount(unit, body.amount, 'amount'), until: readEnd(body.until, body.for, clock()) };
    const raised = await records.limits.raise(workspaceId, path.id, raise, actor, (now) =>
      requireMatch(limitView(now)),
    );
    gateway.limitChanged(raised);
    return limitView(raised);
  },
);

function readEnd(until: string | undefined, duration: string | undefined, now: number): number {
  if (until === undefined && duration !== undefined) return now + parseDuration(duration, 'for');
  if (until !== undefined && duration === undefined) return readExpiry(until, 'until') ?? now;
  throw new TollbookError(
    'invalid',
    'The end of the raise is missing. Give either until (a time) or for (such as 2h).',
    'until',
  );
}

export const endRaise = endpoint(
  'DELETE /api/manage/limits/{id}/raise',
  async ({ caller, path, requireMatch }, { records, gateway }: LimitServices) => {
    const lowered = await records.limits.raise(caller.workspaceId, path.id, null, caller.actor, (now) =>
      requireMatch(limitView(now)),
    );
    gateway.limitChanged(lowered);
    return limitView(lowered);
  },
);
