import { MutationObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test } from 'vitest';
import { afterMutations, refetchStale } from './query-client.ts';

test('what is done at once where nothing is under way waits for the end of a change, good or bad, and is done once', async () => {
  const client = new QueryClient();
  let done = 0;
  afterMutations(client, () => (done += 1));
  expect(done).toBe(1);
  for (const end of ['resolve', 'reject'] as const) {
    const { promise, ...settle } = Promise.withResolvers<void>();
    const changed = new MutationObserver(client, { mutationFn: () => promise }).mutate().catch(() => undefined);
    const before = done;
    afterMutations(client, () => (done += 1));
    expect(done).toBe(before);
    settle[end]();
    await changed;
    await new MutationObserver(client, { mutationFn: () => Promise.resolve() }).mutate();
    expect(done).toBe(before + 1);
  }
});

/** A page that reads a figure which others change: each question is answered by hand, with what held when it was asked. */
class Figure {
  readonly client = new QueryClient();
  now = 1;
  readonly #asked: (() => void)[] = [];
  readonly #observer = new QueryObserver<number>(this.client, {
    queryKey: ['figure'],
    queryFn: async () => {
      const seen = this.now;
      await new Promise<void>((answer) => this.#asked.push(answer));
      return seen;
    },
  });
  readonly leave = this.#observer.subscribe(() => undefined);

  get waiting(): number {
    return this.#asked.length;
  }

  get shown(): number | undefined {
    return this.#observer.getCurrentResult().data;
  }

  change(): Promise<void> {
    this.now += 1;
    return refetchStale(this.client, { predicate: () => true, refetchType: 'active' });
  }

  /** Answers the oldest question, and lets everybody hear it. */
  async answer(): Promise<void> {
    this.#asked.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

let figure = new Figure();
afterEach(() => {
  figure.leave();
  figure.client.clear();
});

test('what happened while a page was first read is shown, though the first answer did not know of it', async () => {
  figure = new Figure();
  void figure.change();
  await figure.answer();
  await figure.answer();
  expect(figure.shown).toBe(2);
  expect(figure.waiting).toBe(0);
});

test('what is shown is asked for once when nothing was under way', async () => {
  figure = new Figure();
  await figure.answer();
  void figure.change();
  expect(figure.waiting).toBe(1);
  await figure.answer();
  expect(figure.shown).toBe(2);
  expect(figure.waiting).toBe(0);
});

test('a slow answer is shown, however much happens meanwhile, and then the newest', async () => {
  figure = new Figure();
  for (let event = 0; event < 5; event += 1) void figure.change();
  expect(figure.waiting).toBe(1);
  await figure.answer();
  expect(figure.shown).toBe(1);
  await figure.answer();
  expect(figure.shown).toBe(6);
  expect(figure.waiting).toBe(0);
});
