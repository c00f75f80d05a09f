import { expect, test } from 'vitest';
import { AGAIN_MS_MIN, LiveStream, REOPEN_FIRST_MS, REOPEN_MS, type EventStream } from './live-stream.ts';

/** A browser stream that the test controls. */
class TestSource extends EventTarget implements EventStream {
  readyState = 0;
  isClosed = false;

  close(): void {
    this.isClosed = true;
  }

  begin(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
    this.dispatchEvent(new MessageEvent('open', { data: '{"heartbeatMs":20000,"quietMs":null}' }));
  }

  /** The browser reconnects by itself. */
  end(): void {
    this.readyState = 0;
    this.dispatchEvent(new Event('error'));
  }

  refuse(): void {
    this.readyState = 2;
    this.dispatchEvent(new Event('error'));
  }
}

class Desk {
  readonly sources: TestSource[] = [];
  readonly told: string[] = [];
  /** Actions that wait for the end of a mutation; null = none is running. */
  waiting: (() => void)[] | null = null;
  #now = 5_000;
  #due: { at: number; run: () => void } | null = null;
  readonly stream = new LiveStream({
    open: () => {
      const source = new TestSource();
      this.sources.push(source);
      return source;
    },
    timer: {
      now: () => this.#now,
      after: (ms, run) => {
        this.#due = { at: this.#now + ms, run };
        return () => (this.#due = null);
      },
    },
    whenDone: (act) => {
      if (!this.waiting) act();
      this.waiting?.push(act);
      return () => (this.waiting = null);
    },
    opened: (_, isFirst) => this.told.push(isFirst ? 'first' : 'next'),
    heard: (event) => this.told.push(event),
    changed: (state) => this.told.push(state),
    refused: () => this.told.push('refused'),
  });

  get newest(): TestSource {
    return this.sources.at(-1) ?? expect.fail('no stream was opened');
  }

  pass(ms: number): void {
    this.#now += ms;
    const due = this.#due;
    if (!due || due.at > this.#now) return;
    this.#due = null;
    due.run();
  }
}

test('a stream that ends reconnects immediately and is never shown as off', () => {
  const desk = new Desk();
  desk.newest.begin();
  desk.newest.end();
  expect(desk.sources.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  desk.newest.begin();
  expect(desk.told).toEqual(['on', 'on', 'first', 'connecting', 'on', 'on', 'next']);
});

test('a reconnect waits for a running mutation, which may change the session', () => {
  const desk = new Desk();
  desk.newest.begin();
  desk.waiting = [];
  desk.newest.end();
  expect(desk.sources).toHaveLength(1);
  for (const act of desk.waiting) act();
  expect(desk.sources).toHaveLength(2);
  desk.newest.begin();
  expect(desk.told).not.toContain('off');
});

test('streams that end quickly are left to the browser, which waits between attempts', () => {
  const desk = new Desk();
  desk.newest.begin();
  desk.newest.end();
  desk.newest.begin();
  desk.newest.end();
  expect([desk.sources.length, desk.newest.isClosed, desk.told.at(-1)]).toEqual([2, false, 'off']);
  desk.newest.begin();
  desk.pass(AGAIN_MS_MIN);
  desk.newest.end();
  expect([desk.sources.length, desk.told.at(-1)]).toEqual([3, 'connecting']);
});

test('an unreachable stream is off and left to the browser', () => {
  const desk = new Desk();
  desk.newest.end();
  expect([desk.sources.length, desk.newest.isClosed, desk.told]).toEqual([1, false, ['off']]);
});

test('a refused stream is reported, retried soon once, and then rarely until one opens', () => {
  const desk = new Desk();
  for (const wait of [REOPEN_FIRST_MS, REOPEN_MS, REOPEN_MS]) {
    const before = desk.sources.length;
    desk.newest.refuse();
    desk.pass(wait - 1);
    expect(desk.sources).toHaveLength(before);
    desk.pass(1);
    expect(desk.sources).toHaveLength(before + 1);
  }
  expect(desk.told.filter((each) => each === 'refused')).toHaveLength(3);
  desk.newest.begin();
  desk.newest.refuse();
  desk.pass(REOPEN_FIRST_MS);
  expect(desk.sources).toHaveLength(5);
});

test('a closed stream never reopens', () => {
  const refused = new Desk();
  refused.newest.refuse();
  refused.stream.close();
  refused.pass(REOPEN_MS);
  const waits = new Desk();
  waits.newest.begin();
  waits.waiting = [];
  waits.newest.end();
  waits.stream.close();
  expect([refused.sources.length, waits.sources.length, waits.waiting]).toEqual([1, 1, null]);
});
