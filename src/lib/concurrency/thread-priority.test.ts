import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const MODULE = fileURLToPath(new URL('./thread-priority.ts', import.meta.url));
const threads = (): number[] => readdirSync('/proc/self/task').map(Number);

test.runIf(process.platform === 'linux')('a thread gives way, and the threads that serve all do not', async () => {
  const before = getPriority();
  const text = `import(${JSON.stringify(MODULE)}).then(async ({ lowerThreadPriority }) => {
    await lowerThreadPriority(3);
    require('node:worker_threads').parentPort.postMessage('lower');
    setInterval(() => {}, 60_000);
  })`;
  const worker = new Worker(text, { eval: true });
  await once(worker, 'message');
  await stat('.');
  const lower = threads().filter((id) => getPriority(id) > before);
  await worker.terminate();
  expect(lower).toHaveLength(1);
});
