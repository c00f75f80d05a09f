import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ADMIN_KEY } from '../../test/admin-key.ts';
import type { Entry } from '../domain/usage/call.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import type { ReportAmounts, ReportedUsage } from '../domain/reconciliation/provider-report.ts';
import { NO_TERMS, type TokenCounts } from '../domain/usage/usage.ts';
import { entryOf } from '../../test/support/arbitrary-entry.ts';
import { emptySqliteStore } from '../../test/support/empty-database.ts';
import type { OpenEmpty } from '../../test/support/filled-store.ts';
import { openMemoryStore } from '../../test/support/memory-store/memory-store.ts';
import type { LedgerStore } from '../storage/store.ts';
import { updateUnproxiedUsage, type UnproxiedParts } from './unproxied-days.ts';
import { DAY_MS } from '../domain/time/units.ts';

const FIRST = Date.UTC(2026, 2, 1);
const DAYS = 6;
const WHOLE = { start: FIRST, end: FIRST + DAYS * DAY_MS };
const KEYS = ['0', '1'] as const;
/** nano-USD a token. */
const RATES = { input: 3_000, cacheRead: 300, output: 15_000 };
type Class = keyof typeof RATES;
const CLASSES = Object.keys(RATES) as Class[];
type Counts = Readonly<Record<Class, number>>;

const CARD: RateCard = {
  provider: 'anthropic',
  model: 'm',
  from: null,
  until: null,
  tiers: [
    {
      above: -1,
      rates: { input: RATES.input * 1_000, cacheRead: RATES.cacheRead * 1_000, output: RATES.output * 1_000 },
    },
  ],
  speeds: {},
  tierMultipliers: {},
  geoMultipliers: {},
  fees: {},
  contextWindow: null,
  version: 'm#1',
  source: 'test',
};

const key = fc.constantFrom(...KEYS);
/** Few sizes, so that nights are often alike. */
const counts = fc.record({
  input: fc.constantFrom(0, 5, 8),
  cacheRead: fc.constantFrom(0, 4),
  output: fc.constantFrom(1, 5, 9),
});
const call = fc.record({
  key,
  /** The last night is not over. */
  day: fc.nat(DAYS - 2),
  isLate: fc.boolean(),
  used: counts,
  certainty: fc.constantFrom('used', 'noted', 'estimated', 'at_most'),
  /** Of an unsure call: what of its output was seen, and how much more than it used it may have used. */
  seen: fc.constantFrom(0, 1, 5),
  slack: fc.constantFrom(0, 3, 60),
  /** How much too long an estimated prompt is. */
  over: fc.constantFrom(0, 0, 3),
});
type Call = typeof call extends fc.Arbitrary<infer One> ? One : never;
const direct = fc.record({ key, day: fc.nat(DAYS - 1), used: counts });
const world = fc.record({
  calls: fc.array(call, { maxLength: 14, size: 'max' }),
  direct: fc.array(direct, { maxLength: 5 }),
  /** Where the provider has calls that were under way at midnight. */
  atEnd: fc.boolean(),
  /** How many of them are settled before the others come. */
  first: fc.nat(14),
  /** How many days the provider changes no more by then. */
  closed: fc.nat(DAYS),
});
type World = typeof world extends fc.Arbitrary<infer One> ? One : never;

const priceOf = (used: Partial<Counts>): number =>
  CLASSES.reduce((sum, name) => sum + (used[name] ?? 0) * RATES[name], 0);

/** What is known of a call's use: of an unsure one the prompt, and what of the answer was seen. */
function knownOf({ certainty, used, seen, over }: Call): Counts | null {
  if (certainty === 'used') return used;
  if (certainty === 'at_most') return null;
  return { ...used, input: used.input + (certainty === 'estimated' ? over : 0), output: Math.min(seen, used.output) };
}

function entryFor(one: Call, number: number): Entry {
  const { day, isLate, used, certainty, slack, over } = one;
  const known = knownOf(one);
  const tokens: TokenCounts = { ...known };
  const usage = { inferences: [{ model: null, tokens, promptTokens: 0 }], uses: {}, thinking: 0, terms: NO_TERMS };
  const end = FIRST + (day + 1) * DAY_MS;
  const isCosted = known !== null && certainty !== 'noted';
  const most = { ...used, input: used.input + over, output: used.output + slack };
  const unsure = {
    outcome: certainty === 'estimated' ? 'client_left' : 'lost',
    uncertainReason: certainty === 'estimated' ? 'client_left' : 'crash',
    usageSource: certainty === 'estimated' ? 'counted' : 'none',
  } as const;
  return entryOf(`call_${number}`, {
    source: 'proxy',
    workspaceId: 'ws_default',
    keyId: `w${one.key}`,
    requestedModel: 'm',
    model: 'm',
    startedAt: end - 10,
    endedAt: isLate ? end + 10 : end - 5,
    usage: known === null ? null : usage,
    cost: isCosted ? priceOf(known) : null,
    provenance: isCosted ? { from: 'price', versions: [CARD.version] } : null,
    ...(certainty === 'used' ? {} : unsure),
    counted: {
      usd: priceOf(most),
      inputTokens: most.input + most.cacheRead,
      outputTokens: most.output,
    },
  });
}

function partsOf(store: LedgerStore): UnproxiedParts {
  const held = KEYS.map((number) => ({
    id: `pk_${number}`,
    key: `sk-ant-api03-k${number}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxk${number}`,
    fingerprint: null,
    ends: null,
    lastFour: null,
    wrappedKeyIds: [`w${number}`],
    heldSince: 0,
    heldUntil: null,
  }));
  const workspace = { id: 'ws_default', name: '', timeZone: 'UTC', retentionDays: 1, createdAt: 0 };
  return {
    ...store,
    records: {
      keys: { heldKeys: () => Promise.resolve(held) },
      workspaces: { list: () => Promise.resolve([workspace]) },
    },
    cardOf: () => CARD,
  };
}

/** What the provider says of a key's day. */
function reportedOn({ calls, direct: unproxied, atEnd }: World, day: number, of: string): Counts {
  const passed = calls.filter((one) => one.key === of && one.day + (one.isLate && atEnd ? 1 : 0) === day);
  const sum = { input: 0, cacheRead: 0, output: 0 };
  for (const { used } of [...passed, ...unproxied.filter((one) => one.key === of && one.day === day)])
    for (const name of CLASSES) sum[name] += used[name];
  return sum;
}

/** All days are read. Usage and costs are read two days after the last closed one. */
async function report(store: LedgerStore, all: World): Promise<(closed: number) => Promise<void>> {
  const words = { project: null, model: 'm', tier: null, context: null, geo: null, speed: null, requests: null };
  const days = Array.from({ length: DAYS }, (_, day) => {
    const rows = KEYS.map((of): ReportedUsage => {
      const amounts: ReportAmounts = reportedOn(all, day, of);
      return { ...words, key: `k${of}`, amounts };
    });
    return { kind: 'usage' as const, day: FIRST + day * DAY_MS, rows };
  });
  const own = { kind: 'key' as const, name: 'n', project: null, status: null };
  const names = KEYS.map((of) => ({ ...own, id: `k${of}`, hint: `sk-ant-api03-k${of}...k${of}` }));
  const window = { top: WHOLE.end, goal: WHOLE.start, doneFrom: WHOLE.start, doneTo: WHOLE.end, cursor: null };
  let revision = 0;
  const keep = async (closed: number): Promise<void> => {
    const state = { ...window, revision, readAt: FIRST + (closed + 2) * DAY_MS };
    const page = { connectionId: ADMIN_KEY.id, readAt: 1, goesOn: false, state };
    const said = revision === 0 ? { days, names } : { days: [], names: [] };
    await store.providerReports.keep({ ...page, report: 'messages', ...said });
    await store.providerReports.keep({ ...page, report: 'cost', days: [], names: [] });
    revision += 1;
  };
  return keep;
}

/** Tokens and nano-USD that are owed: what passed the gate, and what did not. */
async function owed(store: LedgerStore) {
  const { total } = await store.reports.summary('ws_default', WHOLE);
  const rests = await store.unproxiedUsage.dailySums('ws_default', WHOLE);
  const all = [total, ...rests.map(({ totals }) => totals)];
  return {
    prompt: all.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    output: all.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    cost: all.reduce((sum, { cost }) => sum + Number(cost), 0),
  };
}

async function settled(all: World, open: OpenEmpty = openMemoryStore): Promise<Awaited<ReturnType<typeof owed>>> {
  const store = await open();
  const parts = partsOf(store);
  const compared = new Map<string, string>();
  const compute = async (): Promise<void> => {
    await updateUnproxiedUsage(parts, ADMIN_KEY, compared, new AbortController().signal);
  };
  const read = await report(store, all);
  await read(all.closed);
  const entries = all.calls.map(entryFor);
  for (const [mark, some] of [entries.slice(0, all.first), entries.slice(all.first)].entries()) {
    await store.entries.append({ journalId: 'j', mark: mark + 1, entries: some });
    await compute();
  }
  await read(DAYS);
  await compute();
  const found = await owed(store);
  await store.close();
  return found;
}

function reportedOf(all: World) {
  const sums = Array.from({ length: DAYS }, (_, day) => KEYS.map((of) => reportedOn(all, day, of))).flat();
  return {
    prompt: sums.reduce((sum, { input, cacheRead }) => sum + input + cacheRead, 0),
    output: sums.reduce((sum, { output }) => sum + output, 0),
    cost: sums.reduce((sum, one) => sum + priceOf(one), 0),
  };
}

const isEstimated = ({ certainty }: Call): boolean => certainty === 'estimated';

test.each<[string, OpenEmpty, number]>([
  ['memory', openMemoryStore, 500],
  ['sqlite', emptySqliteStore, 40],
])(
  'what is known of calls under way at midnight is owed once, on whichever day the provider has it, used elsewhere too or not (%s)',
  async (_, open, numRuns) => {
    const known = world.map((all) => ({ ...all, calls: all.calls.filter((one) => !isEstimated(one)) }));
    await fc.assert(
      fc.asyncProperty(known, async (all) => {
        expect(await settled(all, open)).toEqual(reportedOf(all));
      }),
      { numRuns },
    );
  },
);

test('estimated usage is counted once except for what the estimate is too high, and never less than once if its key is used elsewhere', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (all) => {
      const [found, said] = [await settled(all), reportedOf(all)];
      const estimated = all.calls.filter(isEstimated);
      const tooHigh = estimated.reduce((sum, { over }) => sum + over * RATES.input, 0);
      const hidden = all.direct.length === 0 ? [] : estimated;
      const most = hidden.reduce((sum, one) => sum + priceOf(knownOf(one) ?? {}), tooHigh);
      expect(found.cost).toBeGreaterThanOrEqual(said.cost);
      expect(found.cost - said.cost).toBeLessThanOrEqual(most);
    }),
    { numRuns: 500 },
  );
});
