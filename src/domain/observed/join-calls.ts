import type { Entry } from '../usage/call.ts';
import { CACHE_READ_CLASSES, inputTokens, outputTokens, sumClasses, totalTokens, type Usage } from '../usage/usage.ts';
import { isSessionSent, type ObservedCall, SIGNALS } from './observed-call.ts';
import { MINUTE_MS } from '../time/units.ts';

/** Difference of two clocks that is taken for the same time. */
export const CLOCK_SKEW_MS = 5 * MINUTE_MS;

/** The parts of a gateway call that identify it. */
export type GatewayCall = Pick<
  Entry,
  | 'callId'
  | 'requestId'
  | 'responseId'
  | 'requestedModel'
  | 'model'
  | 'sessionHash'
  | 'startedAt'
  | 'endedAt'
  | 'usage'
  | 'source'
  | 'outcome'
>;

/** Ways in which a gateway call is found to be an observed one. */
export const JOIN_KINDS = ['provider_id', 'call_id', 'usage'] as const;
export type JoinKind = (typeof JOIN_KINDS)[number];

/**
 * Standing of an observed call:
 * - `counted`  no better report of the same call is known. It may be a gateway call of `possibleDuplicates`
 * - `joined`   it is a call of the gateway, which has the figures
 * - `repeated` another observation of the same call has better figures
 */
export type JoinStanding =
  | { readonly state: 'counted'; readonly possibleDuplicates: readonly string[] }
  | { readonly state: 'joined'; readonly callId: string; readonly by: JoinKind }
  | { readonly state: 'repeated'; readonly observationId: string };

/**
 * Returns references of a call. Two reports of one call have at least one in common, and only calls with common references
 * are compared.
 */
export function observedRefs(call: ObservedCall): string[] {
  const ids = identityRefs(call.providerIds, call.callId);
  const place = usagePlace(call);
  return ids.length > 0 || place === null || !call.usage ? ids : [usageRef(place, call.model, call.usage)];
}

/** Session of calls whose client names none to the gateway. */
export const NO_SESSION = '-';

/**
 * Returns the session in which a call without ids is looked for; null = it is not. Only prompts of assistants are so long
 * that equal tokens at the same time can't be chance.
 */
export function usagePlace({ session, assistant }: ObservedCall): string | null {
  if (assistant === null) return session;
  return isSessionSent(assistant) ? (session ?? NO_SESSION) : NO_SESSION;
}

/** Returns the same for a call of the gateway. */
export function gatewayRefs(call: GatewayCall): string[] {
  const { requestId, responseId, callId, sessionHash, usage } = call;
  const ids = [requestId, responseId].filter((id) => id !== null);
  const refs = identityRefs(ids, callId);
  if (!usage) return refs;
  const place = sessionHash ?? NO_SESSION;
  const models = new Set([call.model, call.requestedModel].filter((model) => model !== null));
  return [...refs, ...Array.from(models, (model) => usageRef(place, model, usage))];
}

function identityRefs(providerIds: readonly string[], callId: string | null): string[] {
  const refs = Array.from(new Set(providerIds), (id) => `provider ${id}`);
  return callId === null ? refs : [...refs, `call ${callId}`];
}

/** Cache writes are left out: some reports do not tell them from other input. */
function usageRef(session: string, model: string, usage: Usage): string {
  const tokens = totalTokens(usage);
  const counts = [inputTokens(tokens), sumClasses(tokens, CACHE_READ_CLASSES), outputTokens(tokens)];
  return `usage ${session} ${model.toLowerCase()} ${counts.join(' ')}`;
}

/**
 * Decides for each observed call whether it counts, by id first: all observations with a common id are one call, and if
 * a gateway call has such an id, it is that one. An observation without ids is the gateway call of its session with equal
 * model and tokens at that time, if exactly one fits on both sides. The result does not depend on any order.
 */
export function joinCalls(
  observed: readonly ObservedCall[],
  gateway: readonly GatewayCall[],
): Map<string, JoinStanding> {
  const standings = new Map<string, JoinStanding>();
  const proxied = gateway.filter(({ source, outcome }) => source === 'proxy' && outcome !== 'not_sent');
  const byRef = indexByRef(proxied);
  const taken = new Set<string>();
  const free: ObservedCall[] = [];
  for (const group of groupByIds(observed)) {
    const found = findGatewayCall(group, byRef);
    const best = group.toSorted(betterFirst)[0];
    if (!best) continue;
    if (found) taken.add(found.callId);
    else free.push(best);
    for (const { observationId } of group) {
      if (found) standings.set(observationId, { state: 'joined', ...found });
      else if (observationId !== best.observationId)
        standings.set(observationId, { state: 'repeated', observationId: best.observationId });
    }
  }
  for (const [observationId, standing] of joinByUsage(free, byRef, taken)) standings.set(observationId, standing);
  return standings;
}

function indexByRef(gateway: readonly GatewayCall[]): Map<string, GatewayCall[]> {
  const byRef = new Map<string, GatewayCall[]>();
  for (const call of gateway.toSorted((a, b) => compareIds(a.callId, b.callId)))
    for (const ref of gatewayRefs(call)) {
      const known = byRef.get(ref);
      if (known) known.push(call);
      else byRef.set(ref, [call]);
    }
  return byRef;
}

/** Groups observations that have an id in common, directly or through others. */
function groupByIds(observed: readonly ObservedCall[]): ObservedCall[][] {
  const groups = new Map<string, ObservedCall[]>();
  for (const call of observed) {
    const refs = identityRefs(call.providerIds, call.callId);
    const own = refs.length > 0 ? refs : [`alone ${call.observationId}`];
    const merged = new Set(own.flatMap((ref) => groups.get(ref) ?? []));
    const group = [...merged, call];
    const all = new Set([...own, ...[...merged].flatMap((one) => identityRefs(one.providerIds, one.callId))]);
    for (const ref of all) groups.set(ref, group);
  }
  return [...new Set(groups.values())];
}

function findGatewayCall(
  group: readonly ObservedCall[],
  byRef: ReadonlyMap<string, readonly GatewayCall[]>,
): { callId: string; by: JoinKind } | null {
  const refs = group.flatMap((call) => identityRefs(call.providerIds, call.callId)).toSorted(compareIds);
  for (const by of ['provider_id', 'call_id'] as const) {
    const prefix = by === 'provider_id' ? 'provider ' : 'call ';
    for (const ref of refs) {
      const [call] = ref.startsWith(prefix) ? (byRef.get(ref) ?? []) : [];
      if (call) return { callId: call.callId, by };
    }
  }
  return null;
}

/** Compares observations of one call: the best figures first. */
function betterFirst(a: ObservedCall, b: ObservedCall): number {
  return (
    SIGNALS.indexOf(a.signal) - SIGNALS.indexOf(b.signal) ||
    a.startedAt - b.startedAt ||
    compareIds(a.observationId, b.observationId)
  );
}

function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function joinByUsage(
  free: readonly ObservedCall[],
  byRef: ReadonlyMap<string, readonly GatewayCall[]>,
  taken: ReadonlySet<string>,
): Map<string, JoinStanding> {
  const fits = new Map(free.map((call) => [call.observationId, fitting(call, byRef, taken)]));
  const suitors = new Map<string, number>();
  for (const calls of fits.values()) for (const id of calls) suitors.set(id, (suitors.get(id) ?? 0) + 1);
  return new Map(
    [...fits].map(([observationId, calls]) => {
      const [callId] = calls;
      const isSure = callId !== undefined && calls.length === 1 && suitors.get(callId) === 1;
      return [
        observationId,
        isSure ? { state: 'joined', callId, by: 'usage' } : { state: 'counted', possibleDuplicates: calls },
      ];
    }),
  );
}

/** Returns gateway calls that may be this observation without ids, in the order of their ids. */
function fitting(
  call: ObservedCall,
  byRef: ReadonlyMap<string, readonly GatewayCall[]>,
  taken: ReadonlySet<string>,
): string[] {
  const { usage, model } = call;
  const place = usagePlace(call);
  if (place === null || !usage || call.providerIds.length > 0 || call.callId !== null) return [];
  return (byRef.get(usageRef(place, model, usage)) ?? [])
    .filter(({ callId }) => !taken.has(callId))
    .filter((one) => one.startedAt <= call.endedAt + CLOCK_SKEW_MS && one.endedAt >= call.startedAt - CLOCK_SKEW_MS)
    .map(({ callId }) => callId);
}
