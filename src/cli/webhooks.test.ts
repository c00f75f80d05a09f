import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../test/doubles/receiver.ts';
import { runLine } from '../../test/run-line.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { WebhookShape } from '../contract/webhooks.ts';

let it: TestLedger;
let receiver: Receiver;

beforeEach(async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent', SVC_WEBHOOK_ALLOW: '127.0.0.0/8' });
  // Commands open the folder themselves.
  await it.ledger.close();
  receiver = await startReceiver();
});
afterEach(async () => {
  await it.close();
  await receiver.close();
});

const run = (line: string) => runLine(line, { env: it.env });

async function create(more = ''): Promise<string> {
  const line = `webhooks create --name ops --type custom --event budget_alert --url ${receiver.url}/x ${more} --json`;
  const { code, out, err } = await run(line);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return (JSON.parse(out) as WebhookShape).id;
}

const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

test('a webhook is created, tested, shown with its deliveries, and removed', async () => {
  const id = await create();
  expect((await run(`webhooks test ${id}`)).out).toMatch(/^Delivered in \d+ ms \(200\)\./);
  receiver.next((response) => response.writeHead(404).end('no such hook'));
  expect(await run(`webhooks test ${id}`)).toMatchObject({
    code: 1,
    err: 'tollbook: Not delivered: The receiver answered 404. no such hook\n',
  });
  const list = (await run(`webhooks deliveries ${id}`)).out;
  expect(list).toMatch(/test +failed +1 +404/);
  expect(list).toMatch(/test +delivered +1 +200/);
  expect(widest(list)).toBeLessThanOrEqual(80);
  expect((await run(`webhooks deliveries ${id} --limit 1`)).out).toContain('Older deliveries: --before dl_');
  expect((await run(`webhooks remove ${id}`)).out).toBe(`Webhook ${id} deleted.\n`);
  expect((await run('webhooks list')).out).toContain('webhooks create');
});

test('creating a webhook that is not signed prints a note', async () => {
  const line = `webhooks create --name ops --type custom --event anomaly --url ${receiver.url}/x`;
  expect((await run(line)).out).toMatch(/Not signed\. To sign: tollbook webhooks secret wh_/);
  const signed = await runLine(`${line} --secret-env HOOK`, { env: { ...it.env, HOOK: 'one of my own' } });
  expect(signed.out).not.toContain('not signed');
});

test('a webhook can be changed, and the output shows the change', async () => {
  const id = await create();
  expect((await run(`webhooks update ${id} --disable`)).out).toContain('Disabled.');
  expect((await run('webhooks list')).out).toMatch(/ops +CUSTOM +off/);
  const changed = await run(`webhooks update ${id} --enable --event cost_spike --event anomaly --digest weekly`);
  expect(changed.out).toContain('gets COST_SPIKE, UNUSUAL_ACTIVITY and a weekly digest.');
  expect(changed.out).toContain(`Not signed. To sign: tollbook webhooks secret ${id}`);
  expect((await run(`webhooks update ${id} --digest daily`)).code).not.toBe(0);
  expect((await run(`webhooks show ${id}`)).out).toBe(changed.out);
});

test('a secret is generated and shown once, or given and never shown', async () => {
  const id = await create('--secret-env HOOK_SECRET').catch(() => null);
  expect(id).toBeNull();
  const own = await create();
  const made = (await run(`webhooks secret ${own}`)).out;
  expect(made).toMatch(/^whsec_\S{44}\nCopy it now; it is not shown again\.\n$/);
  const brought = await runLine(`webhooks secret ${own} --secret-env HOOK_SECRET`, {
    env: { ...it.env, HOOK_SECRET: 'one of my own' },
  });
  expect(brought.out).toMatch(/^Secret set\.\nThe old secret also signs until 20/);
  expect(brought.out).not.toContain('one of my own');
});

test('requesting a secret for a type that does not sign names the types that do', async () => {
  const made = await run(`webhooks create --name chat --type slack --event anomaly --url ${receiver.url}/x --json`);
  const { id } = JSON.parse(made.out) as WebhookShape;
  expect((await run(`webhooks secret ${id}`)).err).toContain('SLACK are not signed and have no secret');
});

test('sending again requires an ID or a period', async () => {
  const id = await create();
  expect((await run(`webhooks replay ${id}`)).err).toContain('--delivery ID or --from TIME');
  expect((await run(`webhooks replay ${id} --from 2026-01-01`)).out).toBe('Nothing to send again.\n');
  await run(`webhooks test ${id}`);
  const { out } = await run(`webhooks deliveries ${id} --json`);
  const { deliveries } = JSON.parse(out) as { deliveries: { id: string }[] };
  expect((await run(`webhooks replay ${id} --delivery ${deliveries[0]?.id}`)).out).toContain('Queued again as dl_');
});
