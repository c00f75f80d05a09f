import { afterEach, describe, expect, test } from 'vitest';
import { startReceiver } from '../../test/doubles/receiver.ts';
import { freePort } from '../../test/support/free-port.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { UsageSummary } from '../contract/usage.ts';
import { NO_CONTEXT } from '../domain/usage/call-context.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

async function receiver() {
  const one = await startReceiver();
  opened.push(one);
  return one;
}

/** A ledger that exports its calls to this address. */
async function exporting(url: string, env: Readonly<Record<string, string>> = {}): Promise<TestLedger> {
  return await openTestLedger({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env });
}

describe('calls that are exported', () => {
  test.each(['http/protobuf', 'http/json'])('by %s are read by the receiver of another ledger', async (protocol) => {
    const other = await openTestLedger();
    opened.push(other);
    const token = await other.createToken(['otlp:write']);
    const collector = await receiver();
    const it = await exporting(collector.url, {
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${token}`,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    });
    const context = { ...NO_CONTEXT, session: 'ticket 42', parentSpan: `${'ab'.repeat(16)}-b7ad6b7169203331-01` };
    await it.ship([
      it.entry({ callId: 'one', responseId: 'msg_1', context }),
      it.entry({ callId: 'two', responseId: 'msg_2' }),
    ]);
    const own = await it.json<UsageSummary>('/api/mcp/usage/summary');
    await it.close();
    expect(collector.received.map(({ path }) => path).toSorted()).toEqual(['/v1/metrics', '/v1/traces']);
    for (const { path, headers, bytes } of collector.received) {
      const asked = { method: 'POST', headers: headers as Record<string, string>, body: new Uint8Array(bytes) };
      const answer = await other.ledger.fetch(new Request(`http://tollbook${path}`, asked), { caller: 'public' });
      expect(answer.status).toBe(200);
    }
    const summary = await other.json<UsageSummary>('/api/mcp/usage/summary');
    const figures = ({ totalCost, totalCalls, totalInputTokens, totalOutputTokens }: UsageSummary) => ({
      totalCost,
      totalCalls,
      totalInputTokens,
      totalOutputTokens,
    });
    expect(figures(summary)).toEqual(figures(own));
    const { calls } = await other.call('GET /api/mcp/observed-calls');
    expect(new Set(calls.map(({ session }) => session))).toEqual(new Set(['ticket 42', null]));
  });

  test('leave the ledger unharmed where nothing takes them', async () => {
    const it = await exporting(`http://127.0.0.1:${await freePort()}`);
    await it.ship([it.entry()]);
    await it.close();
    expect(it.ledger.exporter?.counts.traces).toMatchObject({ unreachable: 1, sent: 0, rejected: 0 });
    expect(it.logged.filter((line) => line.includes('could not be exported'))).toHaveLength(1);
  });

  test.each([
    ['http://169.254.169.254/', /private address/],
    ['http://93.184.215.14/', /https/],
  ])('are not sent to %s, which only SVC_WEBHOOK_ALLOW may allow', async (url, reason) => {
    const it = await exporting(url);
    await it.ship([it.entry()]);
    await it.close();
    expect(it.ledger.exporter?.counts.traces).toMatchObject({ rejected: 1 });
    expect(it.logged.join('')).toMatch(reason);
  });
});

test('a wrong setting of the export is logged, and the ledger opens', async () => {
  for (const env of [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4700' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:1', OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem' },
  ]) {
    const it = await openTestLedger(env);
    await it.ship([it.entry()]);
    await it.close();
    expect(it.ledger.exporter).toBeNull();
    expect(it.logged.join('')).toMatch(/calls are not exported/i);
  }
});
