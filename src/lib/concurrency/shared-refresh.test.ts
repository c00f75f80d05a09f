import { expect, test } from 'vitest';
import { SharedRefresh } from './shared-refresh.ts';

test('concurrent callers share one refresh, and later callers start the next one', async () => {
  let made = 0;
  const rests: (() => void)[] = [];
  const shared = new SharedRefresh(
    async () => ++made,
    () => new Promise((resolve) => void rests.push(resolve)),
  );
  expect(await Promise.all([shared.ask(), shared.ask(), shared.ask()])).toEqual([1, 1, 1]);
  const later = [shared.ask(), shared.ask()];
  await new Promise((resolve) => void setImmediate(resolve));
  expect(made).toBe(1);
  rests[0]?.();
  expect(await Promise.all(later)).toEqual([2, 2]);
});

test('a refresh that fails fails for all its callers, and the next one is tried', async () => {
  let made = 0;
  const shared = new SharedRefresh(
    async () => {
      if (++made === 1) throw new Error('no');
      return made;
    },
    async () => {},
  );
  const asked = await Promise.allSettled([shared.ask(), shared.ask()]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await shared.ask()).toBe(2);
});
