import { LIMITS } from '../config.ts';
import { shownAmount } from '../domain/limits/limit-fields.ts';
import { type Limit, scopeKeyId } from '../domain/limits/limit.ts';
import { summarizeHolds } from '../domain/limits/replay-limit.ts';
import type { Period } from '../domain/time/period.ts';
import type { RefusedCall } from '../domain/usage/refused-call.ts';
import type { LimitPreview } from '../contract/limits.ts';
import { modelMatcher } from '../storage/backfill.ts';
import type { PricedAs } from '../storage/counter-store.ts';
import type { RefusalStore } from '../storage/refusal-store.ts';

/** Records of refused calls that one preview reads, in scope or not: the newest. */
const PREVIEW_REFUSALS_MAX = 10_000;

type PreviewedLimit = Pick<Limit, 'workspaceId' | 'scope' | 'unit'>;

/**
 * Counts the calls in scope that limits refused, and says what they needed; null = none. They are not replayed, because
 * their cost is unknown and clients repeat refused calls.
 */
export async function readRefusedCalls(
  limit: PreviewedLimit,
  range: Period,
  refusals: Pick<RefusalStore, 'page'>,
  pricedAs: PricedAs,
): Promise<LimitPreview['refusedCalls']> {
  const { unit } = limit;
  const { records, isComplete } = await readRecords(limit, range, refusals);
  const isInScope = scopeMatcher(limit.scope, pricedAs);
  const found = records.filter(isInScope);
  if (found.length === 0) return null;
  const needed = summarizeHolds(found.flatMap((call) => (call.unit === unit ? (call.needed ?? []) : [])));
  return {
    calls: found.reduce((sum, { calls }) => sum + calls, 0),
    isComplete: isComplete && !(hidesScope(limit.scope) && records.some(({ isSum }) => isSum)),
    needed: needed && {
      median: shownAmount(unit, needed.median),
      p95: shownAmount(unit, needed.p95),
      max: shownAmount(unit, needed.max),
    },
  };
}

async function readRecords(
  { workspaceId, scope }: PreviewedLimit,
  range: Period,
  refusals: Pick<RefusalStore, 'page'>,
): Promise<{ readonly records: readonly RefusedCall[]; readonly isComplete: boolean }> {
  const keyId = scopeKeyId(scope);
  const filter = keyId === null ? {} : { keyId };
  const records: RefusedCall[] = [];
  let cursor: string | null = null;
  do {
    const page = await refusals.page(workspaceId, { range, filter, cursor, limit: LIMITS.entriesPageMax });
    records.push(...page.rows);
    cursor = page.next;
  } while (cursor !== null && records.length < PREVIEW_REFUSALS_MAX);
  return { records, isComplete: cursor === null };
}

/** Reports scopes to which a sum of refused calls can't be assigned: it has neither models nor tags. */
function hidesScope({ kind }: Limit['scope']): boolean {
  return kind === 'model' || kind === 'tag';
}

/** Calls of other keys were not read. */
function scopeMatcher(scope: Limit['scope'], pricedAs: PricedAs): (call: RefusedCall) => boolean {
  switch (scope.kind) {
    case 'provider':
      return ({ provider }) => provider === scope.provider;
    case 'tag':
      return ({ tags }) => Object.hasOwn(tags, scope.key) && tags[scope.key] === scope.value;
    case 'model': {
      const matches = modelMatcher(scope.pattern, pricedAs);
      return ({ provider, model }) => model !== null && matches(provider, model);
    }
    case 'workspace':
    case 'key':
    case 'each':
    case 'each_tag':
      return () => true;
  }
}
