import { expect, test } from 'vitest';
import { startTestGateway } from './gateway.ts';

test('an idle gateway notices a step of the clock when it happens', async () => {
  const { promise: read, resolve } = Promise.withResolvers<void>();
  const { gateway } = await startTestGateway(new Map(), { timeRead: resolve });
  await expect(read).resolves.toBeUndefined();
  await gateway.close(0);
});
