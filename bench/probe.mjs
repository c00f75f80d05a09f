/**
 * Loaded with `--import` into every process of the benchmark: reports to the parent what the whole process has used so far,
 * and ends it when the parent is gone. Plain JavaScript, so that reading TypeScript is no part of what is measured.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.send) {
  process.on('disconnect', () => process.exit());
  process.on('message', ({ id, ask }) => {
    if (ask !== 'usage') return;
    const { user, system } = process.cpuUsage();
    process.send({ id, answer: { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() } });
  });
}
