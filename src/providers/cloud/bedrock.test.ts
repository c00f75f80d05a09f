import { describe, expect, test } from 'vitest';
import { chunkEvent, event, exceptionEvent } from '../../../test/doubles/aws-events.ts';
import { isSigned } from '../../../test/doubles/aws-signature.ts';
import { boundCall } from '../../domain/limits/cost-bound.ts';
import { OPEN_POLICY } from '../../domain/policy/policy.ts';
import { priceUsage } from '../../domain/pricing/pricing.ts';
import { createPriceBook } from '../../prices/price-book.ts';
import { answerHead, replayBytes } from '../contract/replay.ts';
import { providerContract, toContractCall } from '../contract/provider-contract.ts';
import { requestBounds } from '../contract/request-contract.ts';
import type { Provider, RequestFacts } from '../provider.ts';
import { customProvider } from '../providers.ts';
import { providerPlace } from './cloud-url.ts';

const STREAM = 'application/vnd.amazon.eventstream';
const added = { id: 'bedrock', name: 'Bedrock', priceProvider: null };
const bedrock = customProvider({ ...added, ...providerPlace({ kind: 'bedrock', region: 'us-east-1' }) });
const HAIKU = 'anthropic.claude-haiku-4-5-20251001-v1:0';
const INVOKE = `/model/us.${HAIKU.replace(':', '%3A')}/invoke`;
const CONVERSE = `/model/us.${HAIKU}/converse`;
const claude = { anthropic_version: 'bedrock-2023-05-31', max_tokens: 64, messages: [{ role: 'user', content: 'Hi' }] };
const converse = { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] };
const saying = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const bytes = 'iVBORw0KGgo';

providerContract(bedrock, { path: INVOKE, body: claude });
providerContract(bedrock, toContractCall(bedrock));
requestBounds(bedrock, INVOKE, {
  dearTool: { ...claude, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  picture: {
    ...claude,
    ...saying([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes } }]),
  },
  unknownPart: { ...claude, ...saying([{ type: 'hologram' }]) },
});
requestBounds(bedrock, CONVERSE, {
  dearTool: { ...converse, toolConfig: { tools: [{ systemTool: { name: 'nova_grounding' } }] } },
  picture: saying([{ image: { format: 'png', source: { bytes } } }]),
  unknownPart: saying([{ hologram: {} }]),
});

function readCall(path: string, body: object, provider: Provider = bedrock): RequestFacts {
  const route = provider.route('POST', path);
  if (route.kind !== 'inference') throw new Error(`${path} is not served: ${JSON.stringify(route)}`);
  return route.readRequest(Buffer.from(JSON.stringify(body)));
}

test.each([
  [`/model/${HAIKU}/invoke`, HAIKU],
  [`/model/global.${HAIKU}/invoke-with-response-stream`, `global.${HAIKU}`],
  [`/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Feu.${HAIKU}/converse`, `eu.${HAIKU}`],
  [`/model/arn:aws:bedrock:us-east-1::foundation-model%2f${HAIKU}/converse-stream`, HAIKU],
  ['/model/arn:aws:bedrock:us-east-1:123456789012:application-inference-profile%2Fteam/converse', 'priced'],
])('the model of %s is %s', (path, model) => {
  const deployments = { team: 'priced' };
  const provider = customProvider({ ...added, url: bedrock.url, deployments });
  const facts = readCall(path, path.includes('converse') ? converse : claude, provider);
  expect(facts).toMatchObject({ model, stream: path.includes('stream') });
  expect(decodeURIComponent(facts.upstreamPath)).toBe(decodeURIComponent(path));
  expect(facts.upstreamPath).not.toContain(':');
});

test.each([
  ['/model/../converse', 400],
  ['/model/a%2F..%2Fb/converse', 400],
  ['/model/a%252e/converse', 400],
  ['/model/amazon.nova-pro-v1:0/invoke', 404],
  ['/model/x/async-invoke', 404],
  ['/model/svc_sk_x/converse', 400],
  ['/model/arn:aws:bedrock:us-east-1::foundation-model%2Fsvc_sk_x/converse', 400],
])('the path %s is refused with %i', (path, status) => {
  expect(bedrock.route('POST', path)).toMatchObject({ kind: 'none', status });
});

test.each([
  ['https://bedrock-runtime.eu-central-1.amazonaws.com', null],
  ['https://vpce-1a-2b.bedrock-runtime.eu-central-1.vpce.amazonaws.com', null],
  ['https://bedrock.example', 'eu-central-1'],
])('the URL %s is Bedrock in a region', (url, region) => {
  const provider = customProvider({ ...added, url, region, kind: region === null ? null : 'bedrock' });
  expect(provider).toMatchObject({ url, priceProvider: 'aws' });
});

test('a URL elsewhere needs a region', () => {
  expect(() => customProvider({ ...added, url: 'https://bedrock.example', kind: 'bedrock' })).toThrow(/region/);
  expect(providerPlace({ kind: 'bedrock', url: 'https://bedrock.example', region: 'us-east-1' })).toEqual({
    url: 'https://bedrock.example',
    region: 'us-east-1',
  });
  expect(() => providerPlace({ kind: 'bedrock', region: 'evil.example/' })).toThrow(/region/);
});

describe('a key', () => {
  const KEY = 'AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
  const path = '/model/us.anthropic.claude%3A0/invoke';
  const body = Buffer.from('{"a":1}');
  const sign = (key: string) => {
    const headers: Record<string, string> = {};
    bedrock.authorize(headers, key);
    bedrock.sign?.({ method: 'POST', origin: bedrock.url, path, headers, body }, key, Date.UTC(2026, 10, 24));
    return headers;
  };
  const check = (headers: Record<string, string>, method = 'POST') => {
    const [id = '', secret = ''] = KEY.split(':');
    const host = 'bedrock-runtime.us-east-1.amazonaws.com';
    return isSigned({ method, path, headers: { host, ...headers }, body }, { [id]: secret });
  };

  test('of two parts signs the request', () => {
    expect(bedrock.refuseKey(KEY)).toBeNull();
    const headers = sign(KEY);
    expect(headers).toEqual({
      'x-amz-date': '20261124T000000Z',
      authorization: expect.stringContaining(
        'Credential=AKIAIOSFODNN7EXAMPLE/20261124/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date,',
      ) as string,
    });
    expect(check(headers)).toBe(true);
    expect(check(headers, 'GET')).toBe(false);
  });

  test('of three parts signs its session token too', () => {
    const headers = sign(`${KEY}:token==`);
    expect(headers).toMatchObject({
      'x-amz-security-token': 'token==',
      authorization: expect.stringContaining('SignedHeaders=host;x-amz-date;x-amz-security-token,') as string,
    });
    expect(check(headers)).toBe(true);
  });

  test('of Bedrock is a bearer token', () => {
    expect(sign('ABSKQmVkcm9ja0FQSUtleS0x')).toEqual({ authorization: 'Bearer ABSKQmVkcm9ja0FQSUtleS0x' });
  });

  test('that may not list what the check asks for is not called wrong', () => {
    const answered = (type: string) => bedrock.isKeyUnknown?.(403, new Headers({ 'x-amzn-errortype': type }));
    expect(answered('AccessDeniedException:http://internal.amazon.com/')).toBe(true);
    expect(answered('UnrecognizedClientException')).toBe(false);
  });

  test('without its secret is refused', () => {
    expect(bedrock.refuseKey('AKIAIOSFODNN7EXAMPLE')).toMatch(/SECRET_ACCESS_KEY/);
  });
});

describe('the price', () => {
  const book = createPriceBook();
  const resolve = (model: string) => book.resolve('ws', 'aws', model, Date.UTC(2026, 10, 22));
  const usage = (model: string, fields: object) => {
    const reader = readCall(`/model/${model}/converse`, converse).openReader(answerHead('application/json'));
    reader.push(Buffer.from(JSON.stringify({ output: {}, stopReason: 'end_turn', usage: fields })));
    reader.end();
    return reader.usage();
  };

  test.each([
    [`global.${HAIKU}`, 6_000_000],
    [`us.${HAIKU}`, 6_600_000],
    [HAIKU, 6_600_000],
    ['global.anthropic.claude-opus-4-6-v1', 30_000_000],
    ['eu.anthropic.claude-opus-4-6-v1', 33_000_000],
    ['global.anthropic.claude-sonnet-4-6', 18_000_000],
    ['anthropic.claude-3-haiku-20240307-v1:0', 1_500_000],
    ['us.anthropic.claude-unheard-of-v1:0', null],
    ['us.amazon.nova-pro-v1:0', 4_000_000],
  ])('of a thousand tokens each way with %s is %d nano-dollars', (model, cost) => {
    const read = usage(model, { inputTokens: 1_000, outputTokens: 1_000, totalTokens: 2_000 })!;
    expect(priceUsage(read, model, resolve).cost).toBe(cost);
  });

  test('has cache reads and writes of both lifetimes', () => {
    const read = usage(`global.${HAIKU}`, {
      inputTokens: 10,
      outputTokens: 20,
      totalTokens: 1_030,
      cacheReadInputTokens: 400,
      cacheWriteInputTokens: 600,
      cacheDetails: [
        { ttl: '1h', inputTokens: 200 },
        { ttl: '5m', inputTokens: 400 },
      ],
    });
    expect(read?.inferences).toEqual([
      {
        model: null,
        tokens: { input: 10, output: 20, cacheRead: 400, cacheWrite5m: 400, cacheWrite1h: 200 },
        promptTokens: 1_010,
      },
    ]);
    expect(priceUsage(read!, `global.${HAIKU}`, resolve).cost).toBe(10_000 + 100_000 + 40_000 + 500_000 + 400_000);
  });

  test('is unknown if the total has more than the parts', () => {
    expect(usage(HAIKU, { inputTokens: 10, outputTokens: 20, totalTokens: 31 })).toBeNull();
  });

  test('of an unknown tier or a faster answer is unknown, and has no bound', () => {
    for (const more of [{ serviceTier: { type: 'reserved' } }, { performanceConfig: { latency: 'optimized' } }]) {
      const { demand } = readCall(`/model/global.${HAIKU}/converse`, { ...converse, ...more });
      const models = [{ cards: [resolve(`global.${HAIKU}`)!], outputMax: 1_000 }];
      expect(boundCall(demand, models, OPEN_POLICY).hold.usd).toBeNull();
    }
  });

  test('of a guardrail, and of fields that are not known, has no bound', () => {
    for (const more of [{ guardrailConfig: { guardrailIdentifier: 'x' } }, { additionalModelRequestFields: { x: 1 } }])
      expect(readCall(CONVERSE, { ...converse, ...more }).demand.work).toMatchObject({ hasUnlistedFee: true });
  });
});

describe('a stream', () => {
  const start = { id: 'msg_bdrk_1', model: 'claude-haiku-4-5-20251001', usage: { input_tokens: 9, output_tokens: 1 } };
  const text = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } };
  const invoked = [
    chunkEvent({ type: 'message_start', message: start }),
    chunkEvent(text),
    chunkEvent({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }),
    chunkEvent({ type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 9 } }),
  ];
  const open = (path: string, body: object) => {
    const facts = readCall(path, body);
    return () => facts.openReader(answerHead(STREAM));
  };
  const openInvoke = open(`/model/us.${HAIKU}/invoke-with-response-stream`, claude);
  const openConverse = open(`/model/us.${HAIKU}/converse-stream`, converse);

  test('of InvokeModel is read the same way wherever it is cut', () => {
    expect(replayBytes(openInvoke, Buffer.concat(invoked))).toMatchObject({
      complete: true,
      errored: false,
      model: `us.${HAIKU}`,
      responseId: 'msg_bdrk_1',
      outputBytes: 5,
      usage: { inferences: [{ tokens: { input: 9, output: 5 } }] },
    });
  });

  test('of ConverseStream has its usage at the end', () => {
    const events = [
      event('messageStart', { role: 'assistant', p: 'ab' }),
      event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hello' } }),
      event('contentBlockStop', { contentBlockIndex: 0 }),
      event('messageStop', { stopReason: 'end_turn' }),
      event('metadata', { usage: { inputTokens: 9, outputTokens: 5, totalTokens: 14 }, metrics: { latencyMs: 7 } }),
    ];
    expect(replayBytes(openConverse, Buffer.concat(events))).toMatchObject({
      complete: true,
      model: `us.${HAIKU}`,
      outputBytes: 5,
      usage: { inferences: [{ tokens: { input: 9, output: 5 } }] },
    });
    expect(replayBytes(openConverse, Buffer.concat(events.slice(0, 4)))).toMatchObject({
      complete: false,
      usage: null,
      outputBytes: 5,
    });
  });

  test('that is torn at any byte has the usage so far, and is never complete', () => {
    const whole = Buffer.concat(invoked);
    const first = invoked[0]!.length;
    for (let end = 0; end < whole.length; end++) {
      const reader = openInvoke();
      reader.push(whole.subarray(0, end));
      reader.end();
      expect(reader.complete, `${end}`).toBe(false);
      expect(reader.usage() !== null, `${end}`).toBe(end >= first);
    }
  });

  test('with an error in it is errored', () => {
    const torn = [...invoked.slice(0, 2), exceptionEvent('modelStreamErrorException', 'No.')];
    expect(replayBytes(openInvoke, Buffer.concat(torn))).toMatchObject({ complete: false, errored: true });
    const reader = openInvoke();
    reader.push(Buffer.concat(torn));
    expect(reader.error?.code).toBe('modelStreamErrorException');
  });

  test('that is none has no usage', () => {
    const reader = openInvoke();
    reader.push(Buffer.concat([...invoked, Buffer.from('<html>nothing of this is a stream</html>')]));
    expect(reader.usage()).toBeNull();
  });
});
