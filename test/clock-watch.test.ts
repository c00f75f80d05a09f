import { expect, test } from 'vitest';
import { startGate } from './gateway.ts';

test('a gateway that nobody calls reads its clock all the same, so that a step of it is noticed when it happens', async () => {
  const { promise: read, resolve } = Promise.withResolvers<void>();
  const { gate } = await startGate(new Map(), { timeRead: resolve });
  await expect(read).resolves.toBeUndefined();
  await gate.close(0);
});
