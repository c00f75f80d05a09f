import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startReceiver } from '../test/doubles/receiver.ts';
import { Limited } from '../test/e2e/limited.ts';
import { machine, median, table, writeIntoPage } from './page.ts';

// Time from a limit's first refusal to its alert at a webhook, through the real service: the client has the refusal,
// and the receiver has the request. Each run has a limit of its own.

const { values: options } = parseArgs({
  options: { runs: { type: 'string', default: '20' }, write: { type: 'boolean', default: false } },
});
const WAIT_MS_MAX = 10_000;

const receiver = await startReceiver();
const limited = await Limited.start({ env: { SVC_WEBHOOK_ALLOW: '127.0.0.1' } });
try {
  const webhook = ['--name', 'ops', '--type', 'custom', '--event', 'budget_exceeded', '--url', receiver.url];
  await limited.service.command(['webhooks', 'create', ...webhook]);
  const times: number[] = [];
  for (let run = 0; run < Number(options.runs); run += 1) times.push(await measureRun());
  const text = report(times);
  process.stdout.write(`${text}\n`);
  if (options.write) writeIntoPage('first-refusal', text);
} finally {
  await limited.close();
  await receiver.close();
}

async function measureRun(): Promise<number> {
  const { id, key } = await limited.createKey('anthropic');
  await limited.manage('PUT', `/policies/${id}`, { whenOverLimit: 'refuse' });
  await limited.limit({
    unit: 'output_tokens',
    amount: 100,
    window: 'total',
    thresholds: [],
    scope: { kind: 'key', keyId: id },
  });
  const arrived = new Promise<number>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('The alert did not arrive.')), WAIT_MS_MAX);
    receiver.next((response) => {
      clearTimeout(late);
      resolve(performance.now());
      response.end('ok');
    });
  });
  const sent = performance.now();
  const { status } = await limited.call({ provider: 'anthropic', model: 'claude-haiku-4-5', maxTokens: 120, key });
  if (status !== 402) throw new Error(`The call was answered with ${status}.`);
  return (await arrived) - sent;
}

function report(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const figures = [sorted[0] ?? 0, median(times), sorted.at(-1) ?? 0].map((time) => `${time.toFixed(0)} ms`);
  return [
    table(['first refusal → webhook', 'fastest', 'median', 'slowest'], [[`${times.length} limits`, ...figures]]),
    `From sending the call to the request at the receiver. ${machine()}, load ${(loadavg()[0] ?? 0).toFixed(0)}.`,
  ].join('\n\n');
}
