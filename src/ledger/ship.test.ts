import { byId } from '../journal/contract/by-id.ts';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { turn } from '../journal/contract/journal-contract.ts';
import { sampleBegin, sampleEnd } from '../journal/contract/sample-calls.ts';
import { createMemoryJournal, type MemoryJournal } from '../journal/contract/memory-journal.ts';
import { openMemoryStore } from '../../test/support/memory-store/memory-store.ts';
import { createShipper, type EntryShipper, type ShipperOptions } from './ship.ts';
import type { EntryStore } from '../storage/entry-store.ts';

/** What happens at one step of the store: nothing, an error before the commit, or one after it (a crash in between). */
type Fault = 'none' | 'before' | 'after';

/** A store that keeps every row it was ever given: a call shipped twice is there twice. */
class CountingStore {
  readonly rows: string[] = [];
  readonly faults: Fault[];
  #mark = 0;

  constructor(faults: readonly Fault[] = []) {
    this.faults = faults.slice();
  }

  async append({ mark, entries }: Parameters<EntryStore['append']>[0]): ReturnType<EntryStore['append']> {
    const fault = this.faults.shift() ?? 'none';
    if (fault === 'before') throw new Error('database is locked');
    this.rows.push(...entries.map((entry) => entry.callId));
    this.#mark = mark;
    if (fault === 'after') throw new Error('connection lost');
    return { inserted: entries.length, overflowed: [], moves: [], observed: 0 };
  }

  async mark(): Promise<number> {
    if ((this.faults.shift() ?? 'none') !== 'none') throw new Error('database is locked');
    return this.#mark;
  }
}

let memory: MemoryJournal;
let marks: number[];
let problems: (string | null)[];
let waits: number[];
let missing: number;

beforeEach(() => {
  memory = createMemoryJournal();
  marks = [];
  problems = [];
  waits = [];
  missing = 0;
});

function shipper(store: ShipperOptions['store'], changes: Partial<ShipperOptions> = {}): EntryShipper {
  return createShipper({
    reader: memory.reader,
    store,
    onShipped: (mark) => marks.push(mark),
    onProblem: (problem) => problems.push(problem),
    onMissing: (calls) => (missing += calls),
    batchEntriesMax: 3,
    retryMs: 100,
    wait: async (ms) => {
      waits.push(ms);
      await turn();
    },
    ...changes,
  });
}

async function endCalls(count: number): Promise<string[]> {
  const first = memory.journal.endSeq;
  const ids = Array.from({ length: count }, (_, i) => `call-${first + i}`);
  for (const id of ids) {
    byId(memory.journal).begin(sampleBegin(id), () => {});
    byId(memory.journal).end(sampleEnd(id), () => {});
  }
  await turn();
  return ids;
}

const never = new AbortController().signal;

describe('shipping', () => {
  test('moves all ended calls in batches and sends each position that the store returned', async () => {
    const ids = await endCalls(8);
    const store = new CountingStore();
    const subject = shipper(store);
    await subject.start();
    expect(await subject.close(never)).toBe(true);
    expect(store.rows).toEqual(ids);
    expect(marks).toEqual([0, 3, 6, 8]);
    expect(problems).toEqual([]);
  });

  test('moves the journal into the real store', async () => {
    const ids = await endCalls(4);
    const store = openMemoryStore();
    const subject = shipper(store.entries);
    subject.poke();
    await subject.close(never);
    expect(await store.entries.mark(memory.journal.journalId)).toBe(4);
    const found = await Promise.all(ids.map((id) => store.reports.entry('ws_1', id)));
    expect(found.map((recorded) => recorded?.entry.callId)).toEqual(ids);
  });

  test('continues when notified, also if notified while it works', async () => {
    const store = new CountingStore();
    const subject = shipper(store);
    await subject.start();
    await endCalls(2);
    subject.poke();
    await endCalls(5);
    subject.poke();
    subject.poke();
    await subject.close(never);
    expect(store.rows).toHaveLength(7);
  });

  test('lets other work of its thread run between two batches', async () => {
    await endCalls(9);
    const store = new CountingStore();
    const subject = shipper(store);
    const seen: number[] = [];
    subject.poke();
    while (store.rows.length < 9) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(store.rows.length);
    }
    expect(seen).toEqual(expect.arrayContaining([3, 6, 9]));
    await subject.close(never);
  });

  test('waits longer after each failure, reports the problem, and reports its end', async () => {
    await endCalls(1);
    const subject = shipper(new CountingStore(['none', ...Array.from({ length: 12 }, () => 'before' as const)]));
    subject.poke();
    while (problems.length < 2) await turn();
    expect(waits.slice(0, 4)).toEqual([100, 200, 400, 800]);
    expect(Math.max(...waits)).toBe(30_000);
    expect(problems).toEqual([expect.stringMatching(/database is locked.*They wait in the journal/), null]);
    expect(await subject.close(never)).toBe(true);
  });

  test('treats a store whose position does not move as failed', async () => {
    await endCalls(1);
    const store = new CountingStore();
    const subject = shipper({ append: (batch) => store.append(batch), mark: async () => 0 });
    subject.poke();
    while (problems.length === 0) await turn();
    expect(problems[0]).toMatch(/mark did not move/);
    expect(marks).not.toContain(1);
    expect(await subject.close(AbortSignal.abort())).toBe(false);
  });

  test('calls that the store has lost are shipped again, with the next call or when told', async () => {
    const ids = await endCalls(4);
    const [before, older, empty] = [openMemoryStore(), openMemoryStore(), openMemoryStore()];
    await older.entries.append({ journalId: memory.journal.journalId, mark: 1, entries: [] });
    let current = before;
    const subject = shipper({
      append: (batch) => current.entries.append(batch),
      mark: (journalId) => current.entries.mark(journalId),
    });
    const known = async (): Promise<string[]> => {
      const found = await Promise.all(ids.map((id) => current.reports.entry('ws_1', id)));
      return found.flatMap((recorded) => recorded?.entry.callId ?? []);
    };
    await subject.start();
    await subject.caughtUp();
    current = older;
    ids.push(...(await endCalls(1)));
    subject.poke();
    await subject.caughtUp();
    expect(await known()).toEqual(ids.slice(1));
    expect(problems).toEqual([expect.stringContaining('has lost calls'), null]);
    current = empty;
    subject.reread();
    await subject.caughtUp();
    expect(await known()).toEqual(ids);
  });

  test('start fails if the store cannot be read', async () => {
    await expect(shipper(new CountingStore(['before'])).start()).rejects.toThrow('database is locked');
  });

  test('reports how many calls an older store has missed', async () => {
    await endCalls(1);
    const reader: ShipperOptions['reader'] = {
      ...memory.reader,
      readEnded: (after, limit) => ({ ...memory.reader.readEnded(after, limit), missing: after === 0 ? 4 : 0 }),
    };
    const subject = shipper(new CountingStore(), { reader });
    subject.poke();
    await subject.close(never);
    expect(missing).toBe(4);
  });
});

describe('a change that waits for a position in the journal', () => {
  test('runs exactly after its end, for any batch size, and before later ends', async () => {
    const ids = await endCalls(8);
    const store = new CountingStore();
    const subject = shipper(store);
    const seen: [number, string[]][] = [];
    for (const endSeq of [5, 2, 5, 0]) subject.stopAt(endSeq, async () => void seen.push([endSeq, store.rows.slice()]));
    await subject.caughtUp();
    expect(seen).toEqual([0, 2, 5, 5].map((endSeq) => [endSeq, ids.slice(0, endSeq)]));
    expect(store.rows).toEqual(ids);
  });

  test('runs before the later ends of its batch if it was requested while the batch was read', async () => {
    await endCalls(3);
    const store = new CountingStore();
    const seen: number[] = [];
    let told = false;
    const subject = shipper(store, {
      takeMessages: () => {
        if (told) return;
        told = true;
        subject.stopAt(1, async () => void seen.push(store.rows.length));
      },
    });
    subject.poke();
    await subject.caughtUp();
    expect(seen).toEqual([1]);
    expect(store.rows).toHaveLength(3);
  });

  test('waits for a future end', async () => {
    const store = new CountingStore();
    const subject = shipper(store);
    const seen: number[] = [];
    subject.stopAt(2, async () => void seen.push(store.rows.length));
    await endCalls(1);
    subject.poke();
    await subject.caughtUp();
    expect(seen).toEqual([]);
    await endCalls(2);
    subject.poke();
    await subject.caughtUp();
    expect(seen).toEqual([2]);
  });

  test('is retried if it fails, and no later end passes it', async () => {
    await endCalls(3);
    const store = new CountingStore();
    const subject = shipper(store);
    const seen: number[] = [];
    subject.stopAt(1, async () => {
      seen.push(store.rows.length);
      if (seen.length === 1) throw new Error('database is locked');
    });
    await subject.caughtUp();
    expect(seen).toEqual([1, 1]);
    expect(store.rows).toHaveLength(3);
    expect(problems).toEqual([expect.stringMatching(/database is locked/), null]);
  });
});

test('a start is complete when the whole journal is in the store, also after failures', async () => {
  await endCalls(7);
  const store = new CountingStore(['none', 'before', 'none', 'after']);
  const subject = shipper(store);
  await subject.start();
  await subject.caughtUp();
  expect(await store.mark()).toBe(7);
  await subject.close(never);
});

describe('closing', () => {
  test('ships the rest first, also if it was waiting after a failure', async () => {
    await endCalls(4);
    const store = new CountingStore(['before']);
    const waiting = Promise.withResolvers<void>();
    const wait: ShipperOptions['wait'] = async (_ms, signal) => {
      waiting.resolve();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    const subject = shipper(store, { wait });
    subject.poke();
    await waiting.promise;
    expect(await subject.close(never)).toBe(true);
    expect(store.rows).toHaveLength(4);
  });

  test('ends at the deadline and reports that calls are left', async () => {
    await endCalls(1);
    const deadline = new AbortController();
    const store = new CountingStore(Array.from({ length: 1_000 }, () => 'before' as const));
    const subject = shipper(store, { wait: async () => deadline.abort() });
    expect(await subject.close(deadline.signal)).toBe(false);
    expect(store.rows).toEqual([]);
  });

  test('ends at the deadline even if the store does not answer', async () => {
    await endCalls(1);
    const deadline = new AbortController();
    const subject = shipper({ append: () => new Promise(() => {}), mark: async () => 0 });
    const closed = subject.close(deadline.signal);
    await turn();
    deadline.abort();
    expect(await closed).toBe(false);
  });
});

test('for any failure, and any crash between commit and answer, each call is in the store once', async () => {
  const fault = fc.constantFrom<Fault>('none', 'none', 'before', 'after');
  const step = fc.oneof(fc.record({ end: fc.nat(7) }), fc.constant('poke' as const), fc.constant('die' as const));
  await fc.assert(
    fc.asyncProperty(fc.array(fault, { maxLength: 30 }), fc.array(step, { maxLength: 12 }), async (faults, steps) => {
      memory = createMemoryJournal();
      marks = [];
      const store = new CountingStore(faults);
      const ids: string[] = [];
      let subject = shipper(store);
      for (const what of steps) {
        if (what === 'poke') subject.poke();
        else if (what === 'die') {
          await subject.close(AbortSignal.abort());
          await turn();
          subject = shipper(store);
        } else ids.push(...(await endCalls(what.end)));
      }
      expect(await subject.close(never)).toBe(true);
      expect(store.rows).toEqual(ids);
      expect(marks).toEqual(marks.toSorted((a, b) => a - b));
    }),
    { numRuns: 300 },
  );
});
