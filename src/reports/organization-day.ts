import { hash } from 'node:crypto';
import { groupKeys, heldOn } from '../core/key-groups.ts';
import { type HeldProviderKey, matchProviderKeys } from '../core/match-provider-keys.ts';
import type { RateCard } from '../core/price.ts';
import type { OrganizationDay } from '../core/report-rest.ts';
import type { AdminKey } from '../storage/records/admin-key-records.ts';
import type { Records } from '../storage/records/records.ts';
import type { KeyDay, Reports, Store } from '../storage/store.ts';
import type { DayWindow } from './source.ts';

const DAY_MS = 86_400_000;
/** Of no workspace: list prices. */
const NOBODY = '';

export interface DayParts {
  readonly records: {
    readonly keys: Pick<Records['keys'], 'heldKeys'>;
    readonly workspaces: Pick<Records['workspaces'], 'list'>;
  };
  readonly reports: Pick<Reports, 'keyDays'>;
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
  // One that was erased may make a key of the report unclear.
  return { hinted, held: held.filter((key) => key.key === null || ids.has(key.id)), closedBefore };
}

/** What the rest of a day depends on, beside its report, its calls and prices. */
export function termsOf({ hinted, held, closedBefore }: KnownKeys, day: number): string {
  const matches = [...matchProviderKeys(hinted, heldOn(held, day))];
  const text = JSON.stringify([day < closedBefore, matches.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  return hash('sha256', text, 'base64url');
}

/** Parts of a time in which the terms of all days are the same. */
export function termSpans({ held, closedBefore }: KnownKeys, { start, end }: DayWindow): DayWindow[] {
  const edges = held.map(({ heldSince }) => heldSince - (heldSince % DAY_MS));
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
async function gateOf({ records, reports }: DayParts, provider: string, day: number): Promise<KeyDay[]> {
  const found: KeyDay[] = [];
  for (const { id } of await records.workspaces.list()) {
    const days = await reports.keyDays(id, { start: day, end: day + DAY_MS });
    found.push(...days.filter((one) => one.provider === provider));
  }
  return found;
}
