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

class StreamHarness {
  readonly sources: TestSource[] = [];
  readonly log: string[] = [];
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
    opened: (_, isFirst) => this.log.push(isFirst ? 'first' : 'next'),
    onEvent: (event) => this.log.push(event),
    changed: (state) => this.log.push(state),
    refused: () => this.log.push('refused'),
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
  const harness = new StreamHarness();
  harness.newest.begin();
  harness.newest.end();
  expect(harness.sources.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  harness.newest.begin();
  expect(harness.log).toEqual(['on', 'on', 'first', 'connecting', 'on', 'on', 'next']);
});

test('a reconnect waits for a running mutation, which may change the session', () => {
  const harness = new StreamHarness();
  harness.newest.begin();
  harness.waiting = [];
  harness.newest.end();
  expect(harness.sources).toHaveLength(1);
  for (const act of harness.waiting) act();
  expect(harness.sources).toHaveLength(2);
  harness.newest.begin();
  expect(harness.log).not.toContain('off');
});

test('streams that end quickly are left to the browser, which waits between attempts', () => {
  const harness = new StreamHarness();
  harness.newest.begin();
  harness.newest.end();
  harness.newest.begin();
  harness.newest.end();
  expect([harness.sources.length, harness.newest.isClosed, harness.log.at(-1)]).toEqual([2, false, 'off']);
  harness.newest.begin();
  harness.pass(AGAIN_MS_MIN);
  harness.newest.end();
  expect([harness.sources.length, harness.log.at(-1)]).toEqual([3, 'connecting']);
});

test('an unreachable stream is off and left to the browser', () => {
  const harness = new StreamHarness();
  harness.newest.end();
  expect([harness.sources.length, harness.newest.isClosed, harness.log]).toEqual([1, false, ['off']]);
});

test('a refused stream is reported, retried soon once, and then rarely until one opens', () => {
  const harness = new StreamHarness();
  for (const wait of [REOPEN_FIRST_MS, REOPEN_MS, REOPEN_MS]) {
    const before = harness.sources.length;
    harness.newest.refuse();
    harness.pass(wait - 1);
    expect(harness.sources).toHaveLength(before);
    harness.pass(1);
    expect(harness.sources).toHaveLength(before + 1);
  }
  expect(harness.log.filter((each) => each === 'refused')).toHaveLength(3);
  harness.newest.begin();
  harness.newest.refuse();
  harness.pass(REOPEN_FIRST_MS);
  expect(harness.sources).toHaveLength(5);
});

test('a closed stream never reopens', () => {
  const refused = new StreamHarness();
  refused.newest.refuse();
  refused.stream.close();
  refused.pass(REOPEN_MS);
  const waits = new StreamHarness();
  waits.newest.begin();
  waits.waiting = [];
  waits.newest.end();
  waits.stream.close();
  expect([refused.sources.length, waits.sources.length, waits.waiting]).toEqual([1, 1, null]);
});
