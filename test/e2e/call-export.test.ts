import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { startReceiver } from '../doubles/receiver.ts';
import { eventually, type Service, startService } from '../service.ts';

// Calls of a real service are exported by OTLP, and no receiver holds up a call.

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const CANARY = 'canary-of-a-prompt';
const TRACE = '0af7651916cd43dd8448eb211c80319c';

async function open(endpoint: string): Promise<{ service: Service; double: ProviderDouble; key: string }> {
  const double = await startProviderDouble();
  closing.push(() => double.close());
  const service = await startService({
    urls: double.urls,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=hush',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    },
  });
  closing.push(() => service.close());
  return { service, double, key: await service.createKey('anthropic', { tags: { team: 'a' } }) };
}

async function call({ service, key }: { service: Service; key: string }): Promise<string> {
  const answer = await fetch(`${service.baseUrl}/api/proxy/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, traceparent: `00-${TRACE}-b7ad6b7169203331-01` },
    body: JSON.stringify({ model: 'claude-haiku-4-5', max_tokens: 64, messages: [{ role: 'user', content: CANARY }] }),
  });
  await answer.text();
  expect(answer.status).toBe(200);
  return answer.headers.get('x-svc-call-id') ?? '';
}

test('a call is exported in the trace of its client, without its contents', async () => {
  const receiver = await startReceiver();
  closing.push(() => receiver.close());
  const it = await open(receiver.url);
  const callId = await call(it);
  await it.service.report('/api/mcp/usage/summary');
  // The rest is sent at the close.
  await it.service.close();
  const texts = receiver.received.map(({ bytes }) => gunzipSync(bytes).toString());
  const spans = texts.filter((text) => text.includes('resourceSpans'));
  expect(spans).toHaveLength(1);
  const { resourceSpans } = JSON.parse(spans[0] ?? '') as { resourceSpans: unknown[] };
  expect(resourceSpans).toMatchObject([
    { scopeSpans: [{ spans: [{ traceId: TRACE, parentSpanId: 'b7ad6b7169203331', name: 'chat claude-haiku-4-5' }] }] },
  ]);
  expect(spans[0]).toContain(callId);
  expect(spans[0]).toContain('deployment.environment.name');
  expect(texts.some((text) => text.includes('gen_ai.client.token.usage'))).toBe(true);
  const everything = [...texts, it.service.output()].join('\n');
  expect(everything).not.toContain(CANARY);
  expect(it.service.output()).not.toContain('hush');
});

/** A receiver that accepts connections and answers nothing. */
async function startHanging(): Promise<{ url: string; server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

test('calls are recorded while the receiver hangs, and metrics say that it took none', async () => {
  const { url } = await startHanging();
  const it = await open(url);
  await Promise.all(Array.from({ length: 20 }, () => call(it)));
  await eventually(
    async () => await it.service.report<{ totalCalls: number }>('/api/mcp/usage/summary'),
    ({ totalCalls }) => totalCalls === 20,
  );
  await eventually(
    async () => await (await fetch(`${it.service.baseUrl}/metrics`)).text(),
    (text) => /^tollbook_exported_telemetry_total\{signal="traces",result="sent"\} 0$/m.test(text),
  );
});
