import { expect, test } from 'vitest';
import { seedOfRun } from '../seeded.ts';
import { torture } from './torture.ts';

test('each alert reaches each recovered receiver at least once, in order, and is repeated only after a kill', async () => {
  const seed = seedOfRun();
  const result = await torture({ alerts: 60, receivers: 18, kills: 5, seed, secondsMax: 100 });
  expect({ seed, ...result }).toMatchObject({ faults: [], kills: 5, disabled: 1 });
});
