// Loaded with `--import` into every server under measurement: tells the parent what the whole process has used so far.
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.send) {
  process.on('message', (message: { id: number; ask: unknown }) => {
    if (message.ask !== 'usage') return;
    globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    process.send?.({ id: message.id, answer: { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() } });
  });
}
