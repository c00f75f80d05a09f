import { env } from 'node:process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Fact } from '../../../test/doubles/admin-api.ts';
import { entryOf, FIRST_DAY } from '../../../test/support/arbitrary-entry.ts';
import { emptySqliteStore } from '../../../test/support/empty-database.ts';
import {
  type Arrival,
  arrivals,
  billOf,
  computeAll,
  costOf,
  providerOf,
  scenario,
  type SeenCall,
} from '../../../test/support/four-windows.ts';
import { DIRECT, READ_CLOSED, READ_OPEN, ReportWindow, WRAPPED } from '../../../test/support/report-window.ts';
import { openTemporaryRecords } from '../../../test/support/temporary-records.ts';
import { DAY_MS } from '../../domain/time/units.ts';

const RUNS = Number(env['TEST_WINDOW_RUNS'] ?? 40);

/** Calls whose client left: the gateway knows no usage, telemetry has an error, the session file nothing. */
const abortedCall = fc.record({
  startedAt: fc.nat(7_000_000).map((ms) => FIRST_DAY + ms),
  tokens: fc.record({ input: fc.nat(3_000), output: fc.integer({ min: 1, max: 900 }) }),
});

const world = fc
  .record({
    given: scenario.filter(({ source }) => source !== 'gemini_cli'),
    /** Calls past the gateway have the provider key that is also wrapped. */
    sharesKey: fc.boolean(),
    isHinted: fc.boolean(),
    aborted: fc.array(abortedCall, { maxLength: 2 }),
    /** Numbers of calls, earliest first, that reports of the open day state. */
    partial: fc.array(fc.nat(8), { maxLength: 3 }),
    isFinal: fc.boolean(),
  })
  .map((one) => {
    const given = { ...one.given, calls: one.given.calls.map(asReported) };
    const aborted = one.sharesKey || !one.isHinted ? [] : one.aborted;
    return Object.assign(one, { given, aborted, partial: one.partial.toSorted((a, b) => a - b) });
  });
type World = typeof world extends fc.Arbitrary<infer One> ? One : never;

/** The double of the organization writes twice as much for five minutes as for an hour. */
function asReported(call: SeenCall): SeenCall {
  const { cacheWrite1h = 0, cacheWrite5m = 0, ...tokens } = call.tokens;
  const isAny = cacheWrite1h + cacheWrite5m > 0;
  return { ...call, tokens: isAny ? { ...tokens, cacheWrite1h, cacheWrite5m: 2 * cacheWrite1h } : tokens };
}

interface BilledCall extends Pick<SeenCall, 'startedAt' | 'tokens' | 'searches'> {
  readonly key: string;
}

function listBilled({ given, sharesKey, aborted }: World): BilledCall[] {
  const calls = given.calls.map((call) => ({ ...call, key: call.gateway || sharesKey ? WRAPPED : DIRECT }));
  const left = aborted.map((call) => ({ ...call, searches: 0, key: WRAPPED }));
  return [...calls, ...left].toSorted((a, b) => a.startedAt - b.startedAt);
}

function toFact({ key, tokens, searches }: BilledCall): Fact {
  const { input = 0, cacheRead = 0, cacheWrite1h: write = 0, output = 0 } = tokens;
  const call = { input, cacheRead, write, output, searches, requests: 1 };
  return { day: FIRST_DAY, key, project: null, model: 'claude-x', tier: 'standard', amount: '0', ...call };
}

function costOfAll(calls: readonly Pick<SeenCall, 'tokens' | 'searches'>[]): bigint {
  return BigInt(calls.reduce((sum, call) => sum + costOf(call), 0));
}

/** After all others. */
const LAST = 1_001;

let mark = 0;
function abortedArrivals(workspaceId: string, { given, aborted }: World): Arrival[] {
  return aborted.map(({ startedAt }, index) => {
    const entry = entryOf(`${workspaceId}_aborted_${index}`, {
      workspaceId,
      provider: providerOf(given.source),
      startedAt,
      endedAt: startedAt + 500,
      outcome: 'client_left',
      uncertainReason: 'client_left',
      usageSource: 'none',
      usage: null,
      cost: null,
      provenance: null,
      counted: { usd: 100_000_000, inputTokens: 4_000, outputTokens: 1_000 },
      requestId: null,
      responseId: null,
    });
    return (store) => store.entries.append({ journalId: 'aborted', mark: (mark += 1), entries: [entry] });
  });
}

test('gateway, telemetry, session files and reports in any order: no report lowers what is owed, and it is the bill', async () => {
  const store = emptySqliteStore();
  const { records } = await openTemporaryRecords();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(world, fc.infiniteStream(fc.nat(1_000)), async (one, dice) => {
      const workspaceId = `ws_${(run += 1)}`;
      const roll = (): number => {
        const next = dice.next();
        return next.done === true ? 0 : next.value;
      };
      const provider = providerOf(one.given.source);
      const reports = new ReportWindow(store, records, { workspaceId, provider }, one.isHinted);
      const billed = listBilled(one);
      const reads = [
        ...one.partial.map((count) => () => reports.read(billed.slice(0, count).map(toFact), READ_OPEN)),
        ...(one.isFinal ? [() => reports.read(billed.map(toFact), READ_CLOSED)] : []),
      ];
      const places = reads.map(() => roll()).toSorted((a, b) => a - b);
      // A final report corrects aborted calls by what the calls of the gateway leave, so these are there before.
      if (one.isFinal && one.aborted.length > 0) places[reads.length - 1] = LAST;
      const all = [...arrivals(workspaceId, one.given), ...abortedArrivals(workspaceId, one)];
      const steps = [
        ...all.map((arrive) => ({ at: roll(), run: () => arrive(store), isReport: false })),
        ...reads.map((read, index) => ({ at: places[index] ?? 0, run: read, isReport: true })),
      ];
      let before = 0n;
      const bill = costOfAll(billed);
      for (const step of steps.toSorted((a, b) => a.at - b.at)) {
        await step.run();
        // Between the arrival of a report and the computation of its day.
        if (step.isReport) expect(await reports.owed()).toBe(before);
        await computeAll(store);
        await reports.compute();
        const owed = await reports.owed();
        if (step.isReport) expect(owed).toBeGreaterThanOrEqual(before);
        expect(owed).toBeLessThanOrEqual(bill);
        before = owed;
      }
      const seen = billOf(one.given);
      if (one.isFinal) expect(before).toBe(bill);
      else if (one.partial.length === 0) expect(before).toBe(seen);
      else expect(before).toBeGreaterThanOrEqual(seen);
      expect(await reports.owedByHour()).toBe(before);
      const uncertain = (await store.reports.summary(workspaceId, { start: FIRST_DAY, end: FIRST_DAY + DAY_MS })).total;
      if (one.isFinal) expect(uncertain.uncertainCalls).toBe(0);
    }),
    { numRuns: RUNS },
  );
}, 3_600_000);
