import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ADMIN_KEY } from '../../test/admin-key.ts';
import type { HeldProviderKey } from '../domain/reconciliation/held-keys.ts';
import type { ReportedUsage } from '../domain/reconciliation/provider-report.ts';
import { NO_TERMS } from '../domain/usage/usage.ts';
import { emptySqliteStore } from '../../test/support/empty-database.ts';
import { entryOf } from '../../test/support/arbitrary-entry.ts';
import type { OpenEmpty } from '../../test/support/filled-store.ts';
import { openMemoryStore } from '../../test/support/memory-store/memory-store.ts';
import type { ReportState } from '../storage/provider-reports.ts';
import type { LedgerStore } from '../storage/store.ts';
import { updateUnproxiedUsage, type UnproxiedParts } from './unproxied-days.ts';
import { DAY_MS } from '../domain/time/units.ts';

const FIRST = Date.UTC(2026, 2, 1);
const DAYS = 5;
const WHOLE = { start: FIRST, end: FIRST + DAYS * DAY_MS };
/** By the first and last characters that the report shows; `none` is used without a key. */
const KEYS = ['k0', 'k1', 'k2'] as const;
type Key = (typeof KEYS)[number] | null;
const textOf = (key: string): string => `sk-ant-api03-${key}xxxxxxxxxxxxxxxxxxxxxxxxxxxxx${key}`;

const day = fc.nat(DAYS - 1);
const key = fc.constantFrom<Key>(...KEYS, null);
const aCall = fc.record({ call: fc.constantFrom('w0', 'w1'), day, output: fc.integer({ min: 1, max: 9 }) });
const aReport = fc.record({ report: key, day, output: fc.nat(30) });
const event = fc.oneof(
  { weight: 4, arbitrary: aCall },
  { weight: 4, arbitrary: aReport },
  /** While the next day is worked out. */
  { weight: 3, arbitrary: fc.record({ meanwhile: fc.oneof(aCall, aReport) }) },
  { weight: 1, arbitrary: fc.record({ hold: fc.constantFrom(0, 1), from: day, until: fc.option(day) }) },
  { weight: 1, arbitrary: fc.record({ named: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ closed: day }) },
  { weight: 4, arbitrary: fc.constant('settle' as const) },
);
type Happening = Exclude<typeof event extends fc.Arbitrary<infer One> ? One : never, 'settle'>;
/** Said of every day and key before anything happens, so that whatever does matters. */
const SAID = 40;

/** What there is: kept here too, so that what is settled can be worked out anew from it. */
class World {
  readonly calls: { key: string; day: number; output: number }[] = [];
  readonly reported = new Map<string, number>();
  /** Days from and until which `w0` stands for `k0`, and `w1` for `k1`. */
  readonly holds: [from: number, until: number | null][] = [
    [0, null],
    [0, null],
  ];
  closed = 0;
  isNamed = true;
  readonly #store: LedgerStore;
  readonly #compared = new Map<string, string>();
  readonly #meanwhile: Happening[] = [];
  #revision = new Map<string, number>();

  constructor(store: LedgerStore) {
    this.#store = store;
  }

  async happen(what: Happening): Promise<void> {
    if ('meanwhile' in what) this.#meanwhile.push(what.meanwhile);
    else if ('call' in what) {
      this.calls.push({ key: what.call, day: what.day, output: what.output });
      const tokens = { output: what.output };
      const usage = { inferences: [{ model: null, tokens, promptTokens: 0 }], uses: {}, thinking: 0, terms: NO_TERMS };
      const startedAt = FIRST + what.day * DAY_MS + 5;
      const begin = { startedAt, endedAt: startedAt + 1, keyId: what.call, provider: 'anthropic', model: 'm' };
      const more = {
        requestedModel: 'm',
        source: 'proxy',
        usage,
        uncertainReason: null,
        workspaceId: what.call,
      } as const;
      const entries = [entryOf(`call_${this.calls.length}`, { ...begin, ...more })];
      await this.#store.entries.append({ journalId: 'j', mark: this.calls.length, entries });
    } else if ('report' in what) {
      this.reported.set(JSON.stringify([what.day, what.report]), what.output);
      await this.#keepDay(what.day);
    } else if ('hold' in what) this.holds[what.hold] = [what.from, what.until];
    else if ('closed' in what) this.closed = Math.max(this.closed, what.closed);
    else {
      this.isNamed ||= what.named;
      await this.#keepNames();
    }
  }

  output(of: number, which: Key): number {
    return this.reported.get(JSON.stringify([of, which])) ?? 0;
  }

  isHeld(number: number, of: number): boolean {
    const [from, until] = this.holds[number] ?? [0, null];
    return from <= of && (until === null || until >= of);
  }

  async settle(): Promise<number> {
    const state = { top: WHOLE.end, goal: WHOLE.start, doneFrom: WHOLE.start, doneTo: WHOLE.end, cursor: null };
    // As if usage and costs had been read two days after the last closed one.
    const readAt = FIRST + (this.closed + 2) * DAY_MS;
    for (const report of ['messages', 'cost']) await this.#keep(report, { ...state, readAt }, [], []);
    const computed = await updateUnproxiedUsage(this.#parts(), ADMIN_KEY, this.#compared, new AbortController().signal);
    return computed?.days ?? 0;
  }

  async #keepDay(of: number): Promise<void> {
    const words = { project: null, model: 'm', tier: null, context: null, geo: null, speed: null };
    const rows = [...KEYS, null].flatMap((one): ReportedUsage[] => {
      const output = this.output(of, one);
      return output === 0 ? [] : [{ ...words, key: one, amounts: { output }, requests: null }];
    });
    await this.#keep('messages', EMPTY, [{ kind: 'usage', day: FIRST + of * DAY_MS, rows }], []);
  }

  async #keepNames(): Promise<void> {
    const more = { kind: 'key', name: 'n', project: null, status: null } as const;
    const names = KEYS.map((id) => ({ ...more, id, hint: `sk-ant-api03-${id}...${id}` }));
    if (this.isNamed) await this.#keep('api_keys', EMPTY, [], names);
  }

  async start(isNamed: boolean, closed: number): Promise<void> {
    this.isNamed = isNamed;
    this.closed = closed;
    await this.#keepNames();
    for (let of = 0; of < DAYS; of += 1) {
      for (const one of [...KEYS, null]) this.reported.set(JSON.stringify([of, one]), SAID);
      await this.#keepDay(of);
    }
  }

  async #keep(
    report: string,
    state: Omit<ReportState, 'revision'>,
    days: Parameters<LedgerStore['providerReports']['keep']>[0]['days'],
    names: Parameters<LedgerStore['providerReports']['keep']>[0]['names'],
  ): Promise<void> {
    const revision = this.#revision.get(report) ?? 0;
    const page = { connectionId: ADMIN_KEY.id, report, readAt: 1, days, goesOn: false, names };
    const isKept = await this.#store.providerReports.keep({ ...page, state: { ...state, revision } });
    if (!isKept) throw new Error('The world keeps its pages one after the other.');
    this.#revision.set(report, revision + 1);
  }

  #parts(): UnproxiedParts {
    const workspaces = ['w0', 'w1', 'ws_default'].map((id) => ({
      id,
      name: id,
      timeZone: 'UTC',
      retentionDays: 1,
      createdAt: 0,
    }));
    const { unproxiedUsage } = this.#store;
    return {
      ...this.#store,
      unproxiedUsage: {
        ...unproxiedUsage,
        replaceDay: async (computed) => {
          const what = this.#meanwhile.shift();
          if (what) await this.happen(what);
          await unproxiedUsage.replaceDay(computed);
        },
      },
      records: {
        keys: { heldKeys: () => Promise.resolve(this.#held()) },
        workspaces: { list: () => Promise.resolve(workspaces) },
      },
      cardOf: () => null,
    };
  }

  #held(): HeldProviderKey[] {
    return this.holds.map(([from, until], number) => ({
      id: `pk_${number}`,
      key: textOf(`k${number}`),
      fingerprint: null,
      ends: null,
      lastFour: null,
      wrappedKeyIds: [`w${number}`],
      heldSince: FIRST + from * DAY_MS,
      heldUntil: until === null ? null : FIRST + until * DAY_MS + 1,
    }));
  }
}

const EMPTY = { goal: 0, top: 0, doneFrom: 0, doneTo: 0, cursor: null, readAt: 0 };
/** What is left of a day, by what was said and called. */
function expectedOf(world: World, of: number): number {
  const isClosed = of < world.closed;
  const called = (which: string): number =>
    world.calls.filter((one) => one.key === which && one.day === of).reduce((sum, { output }) => sum + output, 0);
  const less = (said: number, passed: number): number => (isClosed ? Math.max(0, said - passed) : 0);
  const console = world.output(of, null);
  if (!world.isNamed) {
    const said = KEYS.reduce((sum, one) => sum + world.output(of, one), 0);
    return console + less(said, called('w0') + called('w1'));
  }
  const wrapped = [0, 1].map((number) => {
    const said = world.output(of, `k${number}` as Key);
    return world.isHeld(number, of) ? less(said, called(`w${number}`)) : said;
  });
  return console + world.output(of, 'k2') + wrapped.reduce((sum, one) => sum + one, 0);
}

async function check(store: LedgerStore, world: World): Promise<void> {
  await world.settle();
  const rests = await store.unproxiedUsage.dailySums('ws_default', WHOLE);
  const left = Array.from({ length: DAYS }, (_, of) =>
    rests.filter((one) => one.day === FIRST + of * DAY_MS).reduce((sum, { totals }) => sum + totals.outputTokens, 0),
  );
  expect(left).toEqual(left.map((_, of) => expectedOf(world, of)));
  expect(await world.settle()).toBe(0);
}

test.each<[string, OpenEmpty, number]>([
  ['memory', openMemoryStore, 200],
  ['sqlite', emptySqliteStore, 25],
])(
  'whatever comes in which order, what is settled is what the report has beyond the gate, and once more changes nothing (%s)',
  async (_, open, numRuns) => {
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        day,
        fc.array(event, { maxLength: 30, size: 'max' }),
        async (isNamed, closed, events) => {
          const store = await open();
          const world = new World(store);
          await world.start(isNamed, closed);
          for (const one of events) {
            if (one === 'settle') await check(store, world);
            else await world.happen(one);
          }
          await check(store, world);
          await store.close();
        },
      ),
      { numRuns },
    );
  },
);
