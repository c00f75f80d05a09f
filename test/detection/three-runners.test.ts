import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { openTemporaryRecords, TEST_NOW, TEST_SECRET } from '../support/temporary-records.ts';
import type { RunnerAnswer, RunnerOrder } from './runner.ts';
import { DEFAULT_WORKSPACE } from '../../src/storage/records/context.ts';

const TURNS = 20;
const EVERY_MS = 5 * 60_000;

test('three processes on one store run detection once per turn, and alert an episode once', async () => {
  const { records, dataDir: folder } = await openTemporaryRecords();
  const webhook = await records.webhooks.create(
    {
      workspaceId: DEFAULT_WORKSPACE,
      name: 'ops',
      url: 'https://hooks.test/x',
      type: 'CUSTOM',
      events: ['COST_SPIKE'],
      secret: null,
      digest: 'off',
    },
    'owner',
  );
  const workers = ['one', 'two', 'three'].map((name) => {
    const workerData: RunnerOrder = { folder, secret: TEST_SECRET, name, begin: TEST_NOW };
    return new Worker(new URL('./runner.ts', import.meta.url), { workerData });
  });
  const answered = async (): Promise<RunnerAnswer[]> =>
    (await Promise.all(workers.map((worker) => once(worker, 'message')))).map(([answer]) => answer as RunnerAnswer);
  let done = await answered();
  for (let turn = 0; turn < TURNS; turn += 1) {
    const answers = answered();
    for (const worker of workers) worker.postMessage(TEST_NOW + turn * EVERY_MS);
    done = await answers;
  }
  for (const worker of workers) worker.postMessage(0);
  const sum = (of: keyof RunnerAnswer): number => done.reduce((total, answer) => total + answer[of], 0);
  expect([sum('looked'), sum('told')]).toEqual([TURNS, 1]);
  const alerts = await records.alerts.list(DEFAULT_WORKSPACE, { limit: 100, unreadOnly: false });
  expect(alerts).toMatchObject([{ type: 'COST_SPIKE', resolvedAt: null }]);
  const deliveries = await records.deliveries.list(DEFAULT_WORKSPACE, webhook.id, { limit: 100, before: null });
  expect(deliveries).toMatchObject([{ alertId: alerts[0]?.id }]);
});
