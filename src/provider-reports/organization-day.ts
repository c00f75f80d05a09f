import { hash } from 'node:crypto';
import { type HeldProviderKey, heldOn } from '../domain/reconciliation/held-keys.ts';
import { groupKeys, type KeyGroups } from '../domain/reconciliation/key-groups.ts';
import { matchProviderKeys } from '../domain/reconciliation/match-provider-keys.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import type { OrganizationDay, ProxiedUse } from '../domain/reconciliation/unproxied-usage.ts';
import type { ReportAmounts } from '../domain/reconciliation/provider-report.ts';
import { sumFamilies, NO_TOKENS } from '../domain/reconciliation/residual.ts';
import { USE_CLASSES } from '../domain/usage/usage.ts';
import type { AdminKey } from '../storage/records/admin-keys.ts';
import type { Records } from '../storage/records/records.ts';
import type { LedgerStore } from '../storage/store.ts';
import { moveCarriedOver, findCarriedOver, BOUNDARIES_MAX, type BoundaryParts, memoizeDays } from './carried-over.ts';
import type { DayWindow } from './source.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { KeyUse, UsageQueries } from '../storage/usage-queries.ts';

/** No workspace: list prices apply. */
const NOBODY = '';

export interface DayParts {
  readonly records: {
    readonly keys: Pick<Records['keys'], 'heldKeys'>;
    readonly workspaces: Pick<Records['workspaces'], 'list'>;
  };
  readonly reports: Pick<UsageQueries, 'keyUses' | 'lateUses'>;
  readonly providerReports: LedgerStore['providerReports'];
  /** Returns the workspace's price of a model; workspace '' = the list price. */
  readonly cardOf: (workspaceId: string, provider: string, model: string, at: number) => RateCard | null;
}

interface LateParts {
  readonly records: Pick<DayParts['records'], 'workspaces'>;
  readonly reports: Pick<UsageQueries, 'lateUses'>;
}

type ReportConnection = Pick<AdminKey, 'id' | 'workspaceId' | 'provider'>;

/** Keys in an organization's report, and the stored keys of all workspaces that they may be. */
export interface KnownKeys {
  readonly hinted: readonly { readonly id: string; readonly hint: string | null }[];
  readonly held: readonly HeldProviderKey[];
  /** Days from `readFrom` on have been read, and days before `closedBefore` are final. */
  readonly readFrom: number;
  readonly closedBefore: number;
}

export async function readKnownKeys(
  { records, providerReports }: DayParts,
  { id, provider }: ReportConnection,
  days: { readonly start: number; readonly closedBefore: number },
): Promise<KnownKeys> {
  const names = await providerReports.names(id);
  const hinted = names.flatMap((name) => (name.kind === 'key' ? [{ id: name.id, hint: name.hint }] : []));
  const held = await records.keys.heldKeys(provider);
  const found = [...matchProviderKeys(hinted, held).values()].flatMap((match) =>
    'heldIds' in match ? match.heldIds : [],
  );
  const ids = new Set(found);
  // A held key without stored digits may make a reported key ambiguous.
  return {
    hinted,
    held: held.filter((key) => (key.key === null && key.ends === null) || ids.has(key.id)),
    readFrom: days.start,
    closedBefore: days.closedBefore,
  };
}

/** Returns a hash of what the unproxied usage of a day depends on, apart from its report, calls and prices. */
export function hashTerms({ hinted, held, closedBefore }: KnownKeys, day: number): string {
  const matches = [...matchProviderKeys(hinted, heldOn(held, day))];
  const text = JSON.stringify([day < closedBefore, matches.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  return hash('sha256', text, 'base64url');
}

/** Splits a range into spans whose days all have the same terms. */
export function termSpans({ held, closedBefore }: KnownKeys, { start, end }: DayWindow): DayWindow[] {
  const edges = held.flatMap(({ heldSince, heldUntil }) => [
    heldSince - (heldSince % DAY_MS),
    ...(heldUntil === null ? [] : [Math.ceil(heldUntil / DAY_MS) * DAY_MS]),
  ]);
  const within = [...edges, closedBefore].filter((edge) => edge > start && edge < end);
  const starts = [start, ...new Set(within.toSorted((a, b) => a - b))];
  return starts.map((from, index) => ({ start: from, end: starts[index + 1] ?? end }));
}

export async function readOrganizationDay(
  parts: DayParts,
  connection: ReportConnection,
  keys: KnownKeys,
  day: number,
): Promise<OrganizationDay> {
  const { id, workspaceId, provider } = connection;
  const nameOf = (model: string): string => parts.cardOf(NOBODY, provider, model, day)?.model ?? model;
  const reported = await parts.providerReports.cells(id, { start: day, end: day + DAY_MS });
  const proxied = await readProxiedUses(parts, connection, keys, day, nameOf);
  return {
    reported,
    proxied,
    groups: groupKeysOn(keys, day, reported, proxied),
    isClosed: day < keys.closedBefore,
    nameOf,
    resolve: (model) => parts.cardOf(workspaceId, provider, model, day),
    listed: (model) => parts.cardOf(NOBODY, provider, model, day),
  };
}

/** Groups the keys of a day that may be the same key. A reported key without a name may be any. */
export function groupKeysOn(
  { hinted, held }: Pick<KnownKeys, 'hinted' | 'held'>,
  day: number,
  reported: readonly { readonly key: string | null }[],
  proxied: readonly { readonly keyId: string }[],
): KeyGroups {
  const named = new Set(hinted.map((key) => key.id));
  const unnamed = new Set(reported.flatMap(({ key }) => (key === null || named.has(key) ? [] : [key])));
  const all = [...hinted, ...[...unnamed].map((key) => ({ id: key, hint: null }))];
  return groupKeys(all, heldOn(held, day), [...new Set(proxied.map(({ keyId }) => keyId))]);
}

/** Reads the proxied usage of all workspaces on a day, with each call on the day on which the provider counts it. */
async function readProxiedUses(
  parts: DayParts,
  connection: ReportConnection,
  keys: KnownKeys,
  day: number,
  nameOf: (model: string) => string,
): Promise<ProxiedUse[]> {
  const { reports } = parts;
  const { provider } = connection;
  const began: KeyUse[] = [];
  for (const id of await workspaceIds(parts)) {
    const uses = await reports.keyUses(id, { start: day, end: day + DAY_MS });
    began.push(...uses.filter(({ terms }) => terms.provider === provider));
  }
  const night = await boundaryParts(parts, connection, keys, day, nameOf);
  const carried = findCarriedOver(night);
  const [came, went] = [await carried(day - DAY_MS), await carried(day)];
  return moveCarriedOver(day, began, came, went).flatMap((use) => toProxiedUses(use));
}

/** Returns the data for the midnights at both ends of a day. */
async function boundaryParts(
  parts: DayParts,
  { id, provider }: ReportConnection,
  keys: KnownKeys,
  day: number,
  nameOf: (model: string) => string,
): Promise<BoundaryParts> {
  const { reports, providerReports } = parts;
  const around = { start: day - (BOUNDARIES_MAX + 2) * DAY_MS, end: day + (BOUNDARIES_MAX + 2) * DAY_MS };
  const workspaces = await workspaceIds(parts);
  const late = Map.groupBy(await readLateUses(parts, provider, around), (use) => use.day);
  return {
    ...keys,
    late: (of) => late.get(of) ?? [],
    cells: memoizeDays((of) => providerReports.cells(id, { start: of, end: of + DAY_MS })),
    uses: memoizeDays(async (of) => {
      const range = { start: of, end: of + DAY_MS };
      const all = await Promise.all(workspaces.map((one) => reports.keyUses(one, range)));
      return all.flat().filter(({ terms }) => terms.provider === provider);
    }),
    groupsOn: (of, reported, passed) => groupKeysOn(keys, of, reported, passed),
    nameOf,
  };
}

/** Reads the usage of calls of all workspaces that ran over the end of one of these days. */
export async function readLateUses(parts: LateParts, provider: string, range: DayWindow): Promise<KeyUse[]> {
  const all: KeyUse[] = [];
  for (const id of await workspaceIds(parts)) all.push(...(await parts.reports.lateUses(id, range)));
  return all.filter(({ terms }) => terms.provider === provider);
}

async function workspaceIds({ records }: Pick<LateParts, 'records'>): Promise<string[]> {
  return (await records.workspaces.list()).map(({ id }) => id);
}

/**
 * Counts a call under its own model, and the usage of its passes under theirs. Tokens that are only estimated are
 * subtracted from the tokens of their family.
 */
function toProxiedUses({ keyId, model, callModel, terms, amounts, calls, failedCalls }: KeyUse): ProxiedUse[] {
  const nothing = { keyId, model, amounts: {}, effective: NO_TOKENS, isCosted: true, calls: 0 };
  const called = { ...nothing, model: callModel ?? model, calls: calls - failedCalls };
  if (terms.certainty === 'at_most') return [called];
  if (terms.certainty === 'used') return [called, { ...nothing, amounts }];
  const uses: ReportAmounts = {};
  for (const name of USE_CLASSES) if (amounts[name]) uses[name] = amounts[name];
  return [{ ...nothing, amounts: uses, effective: sumFamilies(amounts), isCosted: terms.provenance !== null }];
}
