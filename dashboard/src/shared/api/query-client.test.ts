import { MutationObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { afterMutations, pollEvery, refetchStale } from './query-client.ts';

test('an action runs immediately without mutations, else once after the mutation ends, successful or not', async () => {
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

/** A page that shows a changing figure. The test answers each request with the value at its start. */
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

  /** Answers the oldest request and waits until it is processed. */
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

test('a change during the first fetch is shown after a second fetch', async () => {
  figure = new Figure();
  void figure.change();
  await figure.answer();
  await figure.answer();
  expect(figure.shown).toBe(2);
  expect(figure.waiting).toBe(0);
});

test('shown data is fetched once when no fetch was running', async () => {
  figure = new Figure();
  await figure.answer();
  void figure.change();
  expect(figure.waiting).toBe(1);
  await figure.answer();
  expect(figure.shown).toBe(2);
  expect(figure.waiting).toBe(0);
});

test('a slow response is shown despite many events, followed by the newest one', async () => {
  figure = new Figure();
  for (let event = 0; event < 5; event += 1) void figure.change();
  expect(figure.waiting).toBe(1);
  await figure.answer();
  expect(figure.shown).toBe(1);
  await figure.answer();
  expect(figure.shown).toBe(6);
  expect(figure.waiting).toBe(0);
});

test.each([
  ['no response', new ApiError(0, {}), 10_000],
  ['the service without its database', new ApiError(503, {}), 10_000],
  ['a wrong request', new ApiError(400, {}), false],
  ['a failure of the service', new ApiError(500, {}), false],
  ['data', null, false],
])('after %s, data is read again by itself or not', (_, error, wanted) => {
  expect(pollEvery(0)({ state: { error } })).toBe(wanted);
  expect(pollEvery(5_000)({ state: { error } })).toBe(wanted || 5_000);
});
