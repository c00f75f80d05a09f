import { MutationObserver, QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { afterMutations } from './when-done.ts';

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
