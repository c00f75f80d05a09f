import { hash } from 'node:crypto';
import { type HeldProviderKey, heldOn } from '../core/held-keys.ts';
import { groupKeys } from '../core/key-groups.ts';
import { matchProviderKeys } from '../core/match-provider-keys.ts';
import type { RateCard } from '../core/price.ts';
import type { OrganizationDay, ProxiedUse } from '../core/report-rest.ts';
import { FAMILIES, FAMILY_NAMES, type FamilyTokens, NO_TOKENS } from '../core/residual.ts';
import { sumClasses } from '../core/usage.ts';
import type { AdminKey } from '../storage/records/admin-key-records.ts';
import type { Records } from '../storage/records/records.ts';
import type { KeyDay, KeyUse, Reports, Store } from '../storage/store.ts';
import type { DayWindow } from './source.ts';

const DAY_MS = 86_400_000;
/** Of no workspace: list prices. */
const NOBODY = '';

export interface DayParts {
  readonly records: {
    readonly keys: Pick<Records['keys'], 'heldKeys'>;
    readonly workspaces: Pick<Records['workspaces'], 'list'>;
  };
  readonly reports: Pick<Reports, 'keyUses' | 'keyDays'>;
  readonly providerReports: Store['providerReports'];
  /** The workspace's price of a model; '' = the list price. */
  readonly cardOf: (workspaceId: string, provider: string, model: string, at: number) => RateCard | null;
}

type Connection = Pick<AdminKey, 'id' | 'workspaceId' | 'provider'>;

/** What an organization's report shows of its keys, and which keys of all workspaces they may be. */
export interface KnownKeys {
  readonly hinted: readonly { readonly id: string; readonly hint: string | null }[];
  readonly held: readonly HeldProviderKey[];
  /** Days that begin before change no more. */
  readonly closedBefore: number;
}

export async function knownKeys(
  { records, providerReports }: DayParts,
  { id, provider }: Connection,
  closedBefore: number,
): Promise<KnownKeys> {
  const names = await providerReports.names(id);
  const hinted = names.flatMap((name) => (name.kind === 'key' ? [{ id: name.id, hint: name.hint }] : []));
  const held = await records.keys.heldKeys(provider);
  const found = [...matchProviderKeys(hinted, held).values()].flatMap((match) =>
    'heldIds' in match ? match.heldIds : [],
  );
  const ids = new Set(found);
  // One of which nothing is kept may make a key of the report unclear.
  return {
    hinted,
    held: held.filter((key) => (key.key === null && key.ends === null) || ids.has(key.id)),
    closedBefore,
  };
}

/** What the rest of a day depends on, beside its report, its calls and prices. */
export function termsOf({ hinted, held, closedBefore }: KnownKeys, day: number): string {
  const matches = [...matchProviderKeys(hinted, heldOn(held, day))];
  const text = JSON.stringify([day < closedBefore, matches.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  return hash('sha256', text, 'base64url');
}

/** Parts of a time in which the terms of all days are the same. */
export function termSpans({ held, closedBefore }: KnownKeys, { start, end }: DayWindow): DayWindow[] {
  const edges = held.flatMap(({ heldSince, heldUntil }) => [
    heldSince - (heldSince % DAY_MS),
    ...(heldUntil === null ? [] : [Math.ceil(heldUntil / DAY_MS) * DAY_MS]),
  ]);
  const within = [...edges, closedBefore].filter((edge) => edge > start && edge < end);
  const starts = [start, ...new Set(within.toSorted((a, b) => a - b))];
  return starts.map((from, index) => ({ start: from, end: starts[index + 1] ?? end }));
}

export async function organizationDay(
  parts: DayParts,
  { id, workspaceId, provider }: Connection,
  { hinted, held, closedBefore }: KnownKeys,
  day: number,
): Promise<OrganizationDay> {
  const reported = await parts.providerReports.cells(id, { start: day, end: day + DAY_MS });
  const gate = await gateOf(parts, provider, day);
  // A key without a name may be any.
  const named = new Set(hinted.map((key) => key.id));
  const unnamed = [...new Set(reported.map(({ key }) => key))].filter((key) => key !== null && !named.has(key));
  const all = [...hinted, ...unnamed.map((key) => ({ id: key ?? '', hint: null }))];
  const called = [...new Set(gate.map(({ keyId }) => keyId))];
  return {
    reported,
    gate,
    groups: groupKeys(all, heldOn(held, day), called),
    isClosed: day < closedBefore,
    nameOf: (model) => parts.cardOf(NOBODY, provider, model, day)?.model ?? model,
    resolve: (model) => parts.cardOf(workspaceId, provider, model, day),
    listed: (model) => parts.cardOf(NOBODY, provider, model, day),
  };
}

/** Of all workspaces: a key may be wrapped in any of them. */
async function gateOf({ records, reports }: DayParts, provider: string, day: number): Promise<ProxiedUse[]> {
  const range = { start: day, end: day + DAY_MS };
  const found: ProxiedUse[] = [];
  for (const { id } of await records.workspaces.list()) {
    const uses = (await reports.keyUses(id, range)).filter(({ terms }) => terms.provider === provider);
    const sure = uses.filter(({ terms }) => terms.isSure);
    for (const use of uses) found.push(...proxiedUses(use));
    if (sure.length === uses.length) continue;
    const days = (await reports.keyDays(id, range)).filter((one) => one.provider === provider);
    found.push(...believedUses(days, sure));
  }
  return found;
}

/** A call counts under its own model, what its passes used under theirs. */
function proxiedUses({ keyId, model, callModel, terms, amounts, calls, failedCalls }: KeyUse): ProxiedUse[] {
  const called = { keyId, model: callModel ?? model, amounts: {}, believed: NO_TOKENS, calls: calls - failedCalls };
  return terms.isSure ? [called, { keyId, model, amounts, believed: NO_TOKENS, calls: 0 }] : [called];
}

/** What sums of calls hold beyond those of which all is known. */
function believedUses(days: readonly KeyDay[], sure: readonly KeyUse[]): ProxiedUse[] {
  const nameOf = (keyId: string, model: string | null): string => JSON.stringify([keyId, model]);
  const known = Map.groupBy(sure, ({ keyId, model, callModel }) => nameOf(keyId, callModel ?? model));
  return days.map(({ keyId, model, totals }) => {
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = totals;
    const input = inputTokens - cacheReadTokens - cacheWriteTokens;
    const all: FamilyTokens = { input, cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens, output: outputTokens };
    const believed = { ...NO_TOKENS };
    for (const family of FAMILY_NAMES) {
      const own = known.get(nameOf(keyId, model)) ?? [];
      const told = own.reduce((sum, { amounts }) => sum + sumClasses(amounts, FAMILIES[family]), 0);
      believed[family] = Math.max(0, all[family] - told);
    }
    return { keyId, model, amounts: {}, believed, calls: 0 };
  });
}
