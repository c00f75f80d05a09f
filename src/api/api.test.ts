import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BAD_KEY, NOW, openTestLedger, usageOf } from '../../test/test-ledger.ts';
import type { Asked, TestLedger } from '../../test/test-ledger.ts';
import { TollbookError } from '../domain/errors.ts';
import { endpoints } from './endpoints.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';

let it: TestLedger;
/** Created before the table runs; a case refers to them as `{name}`. */
const given: Record<string, string> = {};

interface Case {
  readonly name: string;
  readonly path: string;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Access token that the request uses: `reader`, `admin`, …; absent = the owner, null = none. */
  readonly as?: string | null;
  readonly status: number;
  readonly has?: readonly (string | RegExp)[];
  readonly lacks?: readonly string[];
}

beforeAll(async () => {
  it = await openTestLedger();
  given['reader'] = await it.createToken(['usage:read']);
  given['hooks'] = await it.createToken(['webhooks:write']);
  given['admin'] = await it.createToken(['admin']);
  const key = await it.createKey('first');
  given['keyId'] = key.id;
  given['wrapped'] = key.key;
  const other = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'Other' } });
  given['other'] = other.id;
  given['stranger'] = await it.createToken(['admin'], other.id);
  const sonnet = { usage: usageOf(1_000, 500) };
  await it.ship([
    it.entry({ ...sonnet, callId: 'call_one', keyId: key.id, tags: { team: 'search' } }),
    it.entry({ ...sonnet, tags: { team: 'search' }, startedAt: NOW - 2 * DAY_MS }),
    it.entry({ ...sonnet, tags: { team: 'chat' } }),
    it.entry({ model: 'no-such-model', tags: { team: '=cmd|calc' } }),
    it.entry({ model: '__proto__', provider: 'ollama', tags: { __proto__x: 'y' } }),
    it.entry({
      outcome: 'broken',
      uncertainReason: 'reset',
      cost: null,
      usage: null,
      usageSource: 'none',
      counted: { usd: 7_000_000, inputTokens: 9, outputTokens: 9 },
    }),
    it.entry({ outcome: 'failed', status: 429, cost: 0, usage: null, usageSource: 'none' }),
    it.entry({ outcome: 'not_sent', status: 0, cost: 0, usage: null, usageSource: 'none' }),
    it.entry({ ...sonnet, callId: 'call_old', startedAt: NOW - 40 * DAY_MS }),
    it.entry({ ...sonnet, callId: 'call_strange', workspaceId: other.id, tags: { team: 'strange' } }),
  ]);
});
afterAll(() => it.close());

const POST = { method: 'POST' };
const SECRETS = ['svc_sk_', 'sk-good', BAD_KEY];
const NAMELESS = { name: 'x', url: 'https://example.com/hook', type: 'CUSTOM', events: ['COST_SPIKE'] };

const CASES: readonly Case[] = [
  // Usage
  {
    name: 'summary of 30 days',
    path: '/api/mcp/usage/summary',
    as: 'reader',
    status: 200,
    has: [
      '"totalCost":0.0315',
      '"totalCalls":7',
      '"totalInputTokens":5000',
      '"totalOutputTokens":2500',
      '"unpricedCalls":2',
      '"uncertainCalls":1',
      '"uncertainUpTo":0.007',
      '"anthropic":{"cost":0.0315,"calls":6,"unpricedCalls":1,"uncertainCalls":1,"uncertainUpTo":0.007}',
      '"claude-sonnet-4-5":{"cost":0.0315,"calls":5,"uncertainCalls":1,"uncertainUpTo":0.007}',
      '"__proto__":{"cost":0,"calls":1,"unpricedCalls":1}',
      '"period":{"start":"2026-02-13T12:00:00.000Z","end":"2026-03-15T12:00:00.000Z"}',
    ],
  },
  {
    name: 'summary of days without calls has no doubts',
    path: '/api/mcp/usage/summary?startDate=2026-03-01&endDate=2026-03-02',
    as: 'reader',
    status: 200,
    has: ['"totalCost":0,', '"byModel":{}', '"end":"2026-03-03T00:00:00.000Z"'],
    lacks: ['unpricedCalls', 'uncertain'],
  },
  {
    name: 'a report asked by a parameter that is not there names those that are',
    path: '/api/mcp/usage/by-tag?tagKey=team&from=2026-03-01',
    as: 'reader',
    status: 400,
    has: [
      'Unknown parameter \\"from\\": the parameters are startDate, endDate, tagKey, limit, cost.',
      '"param":"from"',
    ],
  },
  {
    name: 'summary ignores parameters it does not know',
    path: '/api/mcp/usage/summary?foo=bar',
    as: 'reader',
    status: 200,
  },
  {
    name: 'comparing asked by a parameter that is not there',
    path: '/api/manage/reconciliation?from=2026-03-01',
    status: 400,
    has: ['the parameters are startDate, endDate'],
  },
  {
    name: 'a list that takes no parameters, asked by one',
    path: '/api/manage/keys?limit=1',
    status: 400,
    has: ['this endpoint has no parameters'],
  },
  { name: 'a workspace in the query', path: '/api/manage/keys?workspace=ws_default', status: 200 },
  {
    name: 'summary of a malformed date',
    path: '/api/mcp/usage/summary?startDate=soon',
    as: 'reader',
    status: 400,
    has: ['"param":"startDate"', '"type":"invalid"'],
  },
  {
    name: 'summary of a reversed period',
    path: '/api/mcp/usage/summary?startDate=2026-03-02&endDate=2026-03-01',
    as: 'reader',
    status: 400,
    has: ['after its end'],
  },
  {
    name: 'summary of a date given twice',
    path: '/api/mcp/usage/summary?startDate=2026-03-02&startDate=2026-03-01',
    as: 'reader',
    status: 400,
    has: ['given once'],
  },
  { name: 'summary for the owner', path: '/api/mcp/usage/summary', status: 200, has: ['"totalCalls":7'] },
  {
    name: "summary of the owner's other workspace",
    path: '/api/mcp/usage/summary',
    headers: { 'x-svc-workspace': '{other}' },
    status: 200,
    has: ['"totalCalls":1'],
  },
  {
    name: 'summary of a workspace that is not there',
    path: '/api/mcp/usage/summary',
    headers: { 'x-svc-workspace': 'ws_none' },
    status: 404,
    has: ['ws_none'],
  },
  {
    name: 'a token cannot name another workspace',
    path: '/api/mcp/usage/summary',
    headers: { 'x-svc-workspace': '{other}' },
    as: 'reader',
    status: 200,
    has: ['"totalCalls":7'],
  },
  {
    name: 'by-tag, dearest first',
    path: '/api/mcp/usage/by-tag?tagKey=team',
    as: 'reader',
    status: 200,
    has: [
      /^\[\{"tag":"team","value":"search","cost":0.021,"calls":2,"percentage":66.7\},\{"tag":"team","value":"chat","cost":0.0105,"calls":1,"percentage":33.3\},\{"tag":"team","value":"=cmd\|calc","cost":0,"calls":1,"percentage":0,"unpricedCalls":1\}\]$/,
    ],
    lacks: ['strange'],
  },
  {
    name: 'by-tag, the percentage is taken before the limit',
    path: '/api/mcp/usage/by-tag?tagKey=team&limit=1',
    as: 'reader',
    status: 200,
    has: [/^\[\{[^}]*"percentage":66.7\}\]$/],
  },
  {
    name: 'by-tag of a tag that nobody has',
    path: '/api/mcp/usage/by-tag?tagKey=nobody',
    as: 'reader',
    status: 200,
    has: [/^\[\]$/],
  },
  {
    name: 'by-tag without a tag',
    path: '/api/mcp/usage/by-tag',
    as: 'reader',
    status: 400,
    has: ['tagKey is missing'],
  },
  ...['0', '101', '-1', '1.5', 'ten', '', '1e1', ' 5'].map((limit) => ({
    name: `by-tag with limit ${JSON.stringify(limit)}`,
    path: `/api/mcp/usage/by-tag?tagKey=team&limit=${encodeURIComponent(limit)}`,
    as: 'reader',
    status: 400,
    has: ['"param":"limit"'],
  })),
  {
    name: 'series by day',
    path: '/api/mcp/usage/series?startDate=2026-03-13&endDate=2026-03-15',
    as: 'reader',
    status: 200,
    has: [
      '"starts":["2026-03-13T00:00:00.000Z","2026-03-14T00:00:00.000Z","2026-03-15T00:00:00.000Z"]',
      '"timeZone":"UTC"',
      '"calls":6',
    ],
  },
  {
    name: 'series by tag tells the untagged share',
    path: '/api/mcp/usage/series?by=tag&tagKey=team&startDate=2026-03-13',
    as: 'reader',
    status: 200,
    has: [
      '"untagged":{"cost":0,"calls":3,"percentage":0,"unpricedCalls":1,"uncertainCalls":1,"uncertainUpTo":0.007}',
      '"value":"search"',
    ],
  },
  {
    name: 'series adds up what is beyond its limit',
    path: '/api/mcp/usage/series?by=tag&tagKey=team&limit=1&startDate=2026-03-15',
    as: 'reader',
    status: 200,
    has: ['"value":"(other)"', '"value":"search"'],
    lacks: ['chat'],
  },
  {
    name: 'series by tag without the tag',
    path: '/api/mcp/usage/series?by=tag',
    as: 'reader',
    status: 400,
    has: ['tagKey'],
  },
  {
    name: 'series of too many steps',
    path: '/api/mcp/usage/series?step=hour&startDate=2020-01-01',
    as: 'reader',
    status: 400,
    has: ['larger step'],
  },
  {
    name: 'series with a filter',
    path: '/api/mcp/usage/series?provider=ollama&startDate=2026-03-15',
    as: 'reader',
    status: 200,
    has: ['"calls":1'],
  },
  {
    name: 'series with several values of a field',
    path: '/api/mcp/usage/series?by=provider&provider=ollama&provider=nobody&startDate=2026-03-15',
    as: 'reader',
    status: 200,
    has: ['"value":"ollama"', '"calls":1'],
    lacks: ['anthropic'],
  },
  {
    name: 'series that leaves out a value',
    path: '/api/mcp/usage/series?by=provider&notProvider=anthropic&startDate=2026-03-15',
    as: 'reader',
    status: 200,
    has: ['"value":"ollama"'],
    lacks: ['anthropic'],
  },
  {
    name: 'series that leaves out a tag value keeps untagged calls',
    path: '/api/mcp/usage/series?by=tag&tagKey=team&notTag=team%3Dsearch&startDate=2026-03-13',
    as: 'reader',
    status: 200,
    has: ['"value":null'],
    lacks: ['"value":"search"'],
  },
  {
    name: 'series by pairs of two dimensions',
    path: '/api/mcp/usage/series?by=model&and=key&startDate=2026-03-13',
    as: 'reader',
    status: 200,
    has: ['"and":"key_'],
  },
  {
    name: 'series whose pairs beyond the limit are added up',
    path: '/api/mcp/usage/series?by=provider&and=model&limit=1&startDate=2026-03-13',
    as: 'reader',
    status: 200,
    has: ['"value":"(other)","and":"(other)"'],
  },
  ...['and=key', 'by=key&and=key'].map((query) => ({
    name: `series by a pair that is none: ${query}`,
    path: `/api/mcp/usage/series?${query}`,
    as: 'reader' as const,
    status: 400,
    has: ['"param":"and"'],
  })),
  {
    name: 'entries with several values, one left out',
    path: '/api/mcp/entries?provider=anthropic&provider=ollama&notProvider=anthropic&startDate=2026-03-15',
    as: 'reader',
    status: 200,
    has: ['"provider":"ollama"'],
    lacks: ['"provider":"anthropic"'],
  },
  {
    name: 'series with more values than a filter takes',
    path: `/api/mcp/usage/series?${'model=m&'.repeat(51)}by=model`,
    as: 'reader',
    status: 400,
    has: ['"param":"model"'],
  },
  {
    name: 'series by something else',
    path: '/api/mcp/usage/series?by=mood',
    as: 'reader',
    status: 400,
    has: ['by must be one of source, provider'],
  },
  {
    name: 'pricing of one provider',
    path: '/api/mcp/pricing?provider=anthropic',
    as: 'reader',
    status: 200,
    has: ['"model":"claude-sonnet-4-5', '"usdPerMillion":{"input":3', '"contextWindow"'],
    lacks: ['"provider":"openai"'],
  },
  { name: 'pricing of nobody', path: '/api/mcp/pricing?provider=nobody', as: 'reader', status: 200, has: [/^\[\]$/] },

  {
    name: 'by-tag of a key in capitals',
    path: '/api/mcp/usage/by-tag?tagKey=Team&limit=1',
    as: 'reader',
    status: 200,
    has: ['"tag":"Team","value":"search"'],
  },

  // Entries
  {
    name: 'entries, newest first',
    path: '/api/mcp/entries?limit=2',
    as: 'reader',
    status: 200,
    has: ['"nextCursor":"', '"cost":'],
    lacks: ['call_strange'],
  },
  {
    name: 'entries that are uncertain',
    path: '/api/mcp/entries?uncertain=true',
    as: 'reader',
    status: 200,
    has: ['"uncertainReason":"reset"', '"cost":null', '"uncertainUpTo":0.007'],
    lacks: ['"uncertainReason":null'],
  },
  {
    name: 'entries that are unpriced',
    path: '/api/mcp/entries?unpriced=true',
    as: 'reader',
    status: 200,
    has: ['no-such-model'],
    lacks: ['reset'],
  },
  {
    name: 'entries with a tag',
    path: '/api/mcp/entries?tag=team%3Dchat',
    as: 'reader',
    status: 200,
    has: ['"team":"chat"'],
    lacks: ['search'],
  },
  { name: 'entries with half a tag', path: '/api/mcp/entries?tag=team', as: 'reader', status: 400, has: ['key=value'] },
  {
    name: 'entries from a cursor of their own making',
    path: '/api/mcp/entries?cursor=..%2F',
    as: 'reader',
    status: 400,
    has: ['cursor'],
  },
  { name: 'too many entries', path: '/api/mcp/entries?limit=501', as: 'reader', status: 400 },
  {
    name: 'one entry with the lines of its price',
    path: '/api/mcp/entries/call_one',
    as: 'reader',
    status: 200,
    has: [
      '"cost":0.0105',
      '"item":"input","count":1000,"unitUsd":0.000003,"multiplier":1,"usd":0.003',
      '"item":"output","count":500,"unitUsd":0.000015,"multiplier":1,"usd":0.0075',
      '"adjustments":[]',
      '"limits":[]',
      '"requestId":"req_1"',
    ],
  },
  {
    name: "another workspace's entry",
    path: '/api/mcp/entries/call_strange',
    as: 'reader',
    status: 404,
    has: ['call_strange'],
  },

  // Webhooks
  {
    name: 'a webhook is created',
    ...POST,
    path: '/api/mcp/webhooks',
    as: 'hooks',
    status: 201,
    body: {
      ...NAMELESS,
      name: 'ops',
      events: ['cost_spike', 'BUDGET_ALERT', 'COST_SPIKE'],
      secret: 'whsec_verysecret',
    },
    has: [
      /"id":"wh_/,
      '"enabled":true',
      '"events":["COST_SPIKE","BUDGET_WARNING","BUDGET_EXCEEDED"]',
      '"type":"CUSTOM"',
      '"createdAt":"2026-03-15T12:00:00.000Z"',
    ],
    lacks: ['verysecret', '"secret"'],
  },
  {
    name: 'webhooks are listed',
    path: '/api/mcp/webhooks',
    as: 'hooks',
    status: 200,
    has: ['"name":"ops"'],
    lacks: ['verysecret', '"secret"'],
  },
  { name: "another workspace's webhooks", path: '/api/mcp/webhooks', as: 'stranger', status: 200, has: [/^\[\]$/] },
  {
    name: 'a webhook without events',
    ...POST,
    path: '/api/mcp/webhooks',
    as: 'hooks',
    status: 400,
    body: { ...NAMELESS, events: [] },
    has: ['BUDGET_EXCEEDED'],
  },
  {
    name: 'a webhook with an unknown event',
    ...POST,
    path: '/api/mcp/webhooks',
    as: 'hooks',
    status: 400,
    body: { ...NAMELESS, events: ['PARTY'] },
    has: ['PARTY', 'ERROR_SPIKE'],
  },
  {
    name: 'a webhook of an unknown type',
    ...POST,
    path: '/api/mcp/webhooks',
    as: 'hooks',
    status: 400,
    body: { ...NAMELESS, type: 'FAX' },
    has: ['PAGERDUTY'],
  },
  ...[
    'ftp://example.com',
    'http://example.com',
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://[::ffff:10.0.0.1]/',
    'https://0x7f.1/',
    'https://169.254.169.254/latest',
    'https://localhost/x',
    'https://db.internal/',
    'https://user:pw@example.com/',
    'https://hooks.private.example/',
    'not an address',
    '',
  ].map((url) => ({
    name: `a webhook to ${JSON.stringify(url)}`,
    method: 'POST',
    path: '/api/mcp/webhooks',
    as: 'hooks',
    status: 400,
    body: { ...NAMELESS, url },
    has: ['"param":"url"'],
  })),
  ...(['name', 'url', 'type', 'events'] as const).map((field) => ({
    name: `a webhook without ${field}`,
    method: 'POST',
    path: '/api/mcp/webhooks',
    as: 'hooks',
    status: 400,
    body: { ...NAMELESS, [field]: undefined },
    has: [`${field} is missing`],
  })),
  { name: 'webhooks need their scope', path: '/api/mcp/webhooks', as: 'reader', status: 403, has: ['webhooks:write'] },

  // Callers
  {
    name: 'nobody',
    path: '/api/mcp/usage/summary',
    as: null,
    status: 401,
    has: ['"type":"missing_secret"', 'tollbook tokens create'],
  },
  ...[
    'Bearer',
    'Bearer ',
    'Basic dXNlcjpwYXNz',
    'Bearer svc_sk_nonsense',
    'svc_sk_nonsense',
    `Bearer ${'x'.repeat(10_000)}`,
    'Bearer a b',
  ].map((authorization) => ({
    name: `somebody with ${authorization.slice(0, 30)}`,
    path: '/api/mcp/usage/summary',
    as: null,
    headers: { authorization },
    status: 401,
    has: ['unknown, expired or revoked'],
    lacks: ['nonsense'],
  })),
  {
    name: 'a wrapped key',
    path: '/api/mcp/usage/summary',
    as: 'wrapped',
    status: 403,
    has: ['"type":"wrong_secret"', 'wrapped key', 'Use an access token here'],
    lacks: SECRETS,
  },
  {
    name: 'a wrapped key at the management',
    path: '/api/manage/keys',
    as: 'wrapped',
    status: 403,
    has: ['wrapped key'],
  },
  {
    name: 'a reader at the management',
    path: '/api/manage/keys',
    as: 'reader',
    status: 403,
    has: ['"type":"missing_scope"', '"admin\\"'],
  },
  { name: 'an admin may read usage', path: '/api/mcp/usage/summary', as: 'admin', status: 200 },

  // Malformed requests
  {
    name: 'an unknown path',
    path: '/api/mcp/nothing',
    as: 'reader',
    status: 404,
    has: ['"type":"not_found"', '/openapi.json'],
  },
  {
    name: 'another method',
    method: 'PUT',
    path: '/api/mcp/usage/summary',
    as: 'reader',
    status: 405,
    has: ['GET, HEAD, OPTIONS'],
  },
  {
    name: 'malformed JSON',
    ...POST,
    path: '/api/mcp/webhooks',
    as: 'hooks',
    body: '{"name":',
    status: 400,
    has: ['not well-formed JSON'],
  },
  {
    name: 'a body that says a member twice',
    ...POST,
    path: '/api/mcp/webhooks',
    as: 'hooks',
    body: '{"name":"a","type":"SLACK","n\\u0061me":"b"}',
    status: 400,
    has: ['"param":"name"', 'twice. Send it once'],
  },
  {
    name: 'a body of nothing but brackets',
    ...POST,
    path: '/api/mcp/webhooks',
    as: 'hooks',
    body: '['.repeat(1_000_000),
    status: 400,
    has: ['nests deeper than 32 levels'],
  },
  {
    name: 'a body of 90,000 members',
    ...POST,
    path: '/api/mcp/webhooks',
    as: 'hooks',
    body: `{"a":1${',"a":1'.repeat(90_000)}}`,
    status: 400,
    has: ['more than 10000 members'],
  },
  {
    name: 'a body of 300,000 items that are no events',
    ...POST,
    path: '/api/mcp/webhooks',
    as: 'hooks',
    body: `{"events":[0${',0'.repeat(300_000)}]}`,
    status: 400,
    has: ['more than 10000 members'],
  },
  { name: 'an empty body', ...POST, path: '/api/mcp/webhooks', as: 'hooks', status: 400, has: ['no body'] },
  {
    name: 'a body that is no object',
    ...POST,
    path: '/api/mcp/webhooks',
    as: 'hooks',
    body: '[]',
    status: 400,
    has: ['must be an object'],
  },
  { name: 'null', ...POST, path: '/api/mcp/webhooks', as: 'hooks', body: 'null', status: 400 },
  {
    name: 'a form',
    ...POST,
    path: '/api/mcp/webhooks',
    as: 'hooks',
    body: 'name=x',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
    has: ['application/json'],
  },
  {
    name: 'a huge body',
    ...POST,
    path: '/api/mcp/webhooks',
    as: 'hooks',
    body: JSON.stringify({ name: 'x'.repeat(1_100_000) }),
    status: 413,
    has: ['"type":"too_large"'],
  },
  {
    name: 'a field of the wrong type',
    ...POST,
    path: '/api/mcp/webhooks',
    as: 'hooks',
    body: { ...NAMELESS, name: 5 },
    status: 400,
    has: ['name must be a string'],
  },

  // Keys
  {
    name: 'a key of an unknown provider',
    ...POST,
    path: '/api/manage/keys',
    body: { name: 'x', provider: 'nobody', providerKey: 'k' },
    status: 400,
    has: ['anthropic, google, openai', '"param":"provider"'],
  },
  {
    name: 'a key that the provider refuses',
    ...POST,
    path: '/api/manage/keys',
    body: { name: 'bad', provider: 'anthropic', providerKey: BAD_KEY },
    status: 422,
    has: ['refused', 'keep it anyway', '"type":"provider_key_refused"'],
    lacks: SECRETS,
  },
  {
    name: 'a refused key all the same',
    ...POST,
    path: '/api/manage/keys',
    body: { name: 'forced', provider: 'anthropic', providerKey: BAD_KEY, force: true },
    status: 201,
    has: ['"warnings":["'],
    lacks: [BAD_KEY],
  },
  {
    name: "an admin's key",
    ...POST,
    path: '/api/manage/keys',
    body: { name: 'admin', provider: 'anthropic', providerKey: 'sk-ant-admin01-abc' },
    status: 422,
    lacks: ['sk-ant-admin01-abc'],
  },
  {
    name: 'a key with two sources',
    ...POST,
    path: '/api/manage/keys',
    body: { name: 'two', provider: 'anthropic', providerKey: 'a', providerKeyOf: 'b' },
    status: 400,
    has: ['one of'],
  },
  {
    name: 'a key of a taken name',
    ...POST,
    path: '/api/manage/keys',
    body: { name: 'first', provider: 'anthropic', providerKey: 'sk-other' },
    status: 409,
  },
  {
    name: 'a key with a field that is not known',
    ...POST,
    path: '/api/manage/keys',
    body: { name: 'y', provider: 'anthropic', providerKey: 'a', expires: 'x' },
    status: 400,
    has: ['\\"expires\\"'],
  },
  {
    name: 'a key that expires sometime',
    ...POST,
    path: '/api/manage/keys',
    body: { name: 'y', provider: 'anthropic', providerKey: 'a', expiresAt: 'sometime' },
    status: 400,
    has: ['"param":"expiresAt"'],
  },
  {
    name: 'a key that shares a provider key',
    ...POST,
    path: '/api/manage/keys',
    as: 'admin',
    body: { name: 'shared', provider: 'anthropic', providerKeyOf: '{keyId}', tags: { team: 'search' } },
    status: 201,
    has: ['"key":"svc_sk_'],
    lacks: ['sk-good'],
  },
  {
    name: "a key that shares another workspace's provider key",
    ...POST,
    path: '/api/manage/keys',
    as: 'stranger',
    body: { name: 'steal', provider: 'anthropic', providerKeyOf: '{keyId}' },
    status: 404,
  },
  {
    name: 'keys are listed without secrets',
    path: '/api/manage/keys',
    as: 'admin',
    status: 200,
    has: ['"name":"shared"', '"usedBy":2'],
    lacks: SECRETS,
  },
  {
    name: 'one key',
    path: '/api/manage/keys/{keyId}',
    as: 'admin',
    status: 200,
    has: ['"name":"first"'],
    lacks: SECRETS,
  },
  { name: "another workspace's key", path: '/api/manage/keys/{keyId}', as: 'stranger', status: 404 },
  {
    name: 'lines for clients of a key name the gate and hold no key',
    path: '/api/manage/keys/{keyId}/clients',
    as: 'admin',
    status: 200,
    has: ['<WRAPPED_KEY>', '/api/proxy/anthropic', 'Claude Code'],
    lacks: SECRETS,
  },
  { name: "lines for another workspace's key", path: '/api/manage/keys/{keyId}/clients', as: 'stranger', status: 404 },
  {
    name: 'the tags of a wrapped key',
    method: 'PATCH',
    path: '/api/manage/keys/{keyId}',
    body: { tags: { Team: 'search' } },
    status: 200,
    has: ['"tags":{"team":"search"}'],
  },
  {
    name: 'tags of a wrapped key that can not be',
    method: 'PATCH',
    path: '/api/manage/keys/{keyId}',
    body: { name: 'renamed', tags: { 'no spaces': 'x' } },
    status: 400,
    has: ['"param":"tags"'],
    lacks: ['renamed'],
  },
  {
    name: 'a key is renamed and expires',
    method: 'PATCH',
    path: '/api/manage/keys/{keyId}',
    body: { name: 'renamed', expiresAt: '2027-01-31' },
    status: 200,
    has: ['"name":"renamed"', '"expiresAt":"2027-02-01T00:00:00.000Z"'],
  },
  {
    name: 'a provider key is replaced for all that share it',
    ...POST,
    path: '/api/manage/keys/{keyId}/provider-key',
    body: { providerKey: 'sk-new-provider-key-2222' },
    status: 200,
    has: ['"name":"renamed"', '"name":"shared"'],
    lacks: ['sk-new'],
  },
  {
    name: 'a refused provider key is not taken',
    ...POST,
    path: '/api/manage/keys/{keyId}/provider-key',
    body: { providerKey: BAD_KEY },
    status: 422,
  },
  {
    name: 'a key is revoked',
    method: 'DELETE',
    path: '/api/manage/keys/{keyId}',
    status: 200,
    has: ['"revokedAt":"2026-03-15'],
  },
  {
    name: 'a key is revoked again',
    method: 'DELETE',
    path: '/api/manage/keys/{keyId}',
    status: 200,
    has: ['"revokedAt":"2026-03-15'],
  },
  {
    name: "another workspace's key is not revoked",
    method: 'DELETE',
    path: '/api/manage/keys/{keyId}',
    as: 'stranger',
    status: 404,
  },

  // Tokens
  {
    name: 'a token has all scopes but admin',
    ...POST,
    path: '/api/manage/tokens',
    body: { name: 'plain' },
    status: 201,
    has: ['"scopes":["usage:read","alerts:read","webhooks:write","sync:write"]', '"token":"svc_sk_'],
  },
  {
    name: 'a token of an unknown scope',
    ...POST,
    path: '/api/manage/tokens',
    body: { name: 'x', scopes: ['root'] },
    status: 400,
    has: ['root', 'usage:read'],
  },
  {
    name: 'tokens are listed without secrets',
    path: '/api/manage/tokens',
    status: 200,
    has: ['"name":"plain"'],
    lacks: SECRETS,
  },
  { name: 'a token that is not there', method: 'DELETE', path: '/api/manage/tokens/tok_none', status: 404 },

  // The installation
  {
    name: 'an admin sees its own workspace',
    path: '/api/manage/workspaces',
    as: 'admin',
    status: 200,
    has: ['ws_default'],
    lacks: ['Other'],
  },
  { name: 'the owner sees all workspaces', path: '/api/manage/workspaces', status: 200, has: ['ws_default', 'Other'] },
  {
    name: 'an admin makes no workspace',
    ...POST,
    path: '/api/manage/workspaces',
    as: 'admin',
    body: { name: 'Mine' },
    status: 403,
    has: ['command line'],
  },
  {
    name: 'an admin sets its time zone',
    method: 'PATCH',
    path: '/api/manage/workspaces/ws_default',
    as: 'admin',
    body: { timeZone: 'Asia/Kolkata' },
    status: 200,
    has: [/Asia\/(?:Kolkata|Calcutta)/],
  },
  {
    name: 'a time zone that is not there',
    method: 'PATCH',
    path: '/api/manage/workspaces/ws_default',
    body: { timeZone: 'Mars/Base' },
    status: 400,
  },
  {
    name: "an admin leaves others' workspaces alone",
    method: 'PATCH',
    path: '/api/manage/workspaces/ws_default',
    as: 'stranger',
    body: { name: 'Mine' },
    status: 404,
  },
  {
    name: 'series follow the time zone',
    path: '/api/mcp/usage/series?startDate=2026-03-14&endDate=2026-03-15',
    as: 'reader',
    status: 200,
    has: ['"2026-03-14T18:30:00.000Z"'],
  },
  {
    name: 'providers are listed',
    path: '/api/manage/providers',
    as: 'admin',
    status: 200,
    has: ['"proxyUrl":"http://localhost:4700/api/proxy/anthropic"', '"custom":false'],
  },
  {
    name: 'a provider is added',
    ...POST,
    path: '/api/manage/providers',
    body: { id: 'mine', name: 'Mine', url: 'http://10.0.0.5:8000/v1/' },
    status: 201,
    has: ['"custom":true', '"url":"http://10.0.0.5:8000/v1"'],
  },
  {
    name: 'a provider is added twice',
    ...POST,
    path: '/api/manage/providers',
    body: { id: 'mine', name: 'Mine', url: 'http://10.0.0.5:8000/v1' },
    status: 409,
  },
  {
    name: 'an admin adds no provider',
    ...POST,
    path: '/api/manage/providers',
    as: 'admin',
    body: { id: 'theirs', name: 'Theirs', url: 'http://10.0.0.5' },
    status: 403,
  },
  {
    name: 'a provider that would be a path',
    ...POST,
    path: '/api/manage/providers',
    body: { id: '../x', name: 'X', url: 'http://10.0.0.5' },
    status: 400,
    has: ['lowercase'],
  },
  {
    name: 'a provider never stands where the holder of a key sees its limits',
    ...POST,
    path: '/api/manage/providers',
    body: { id: 'limits', name: 'Limits', url: 'http://10.0.0.5' },
    status: 409,
    has: ['is reserved for the limits of a wrapped key'],
  },
  { name: 'a provider is removed', method: 'DELETE', path: '/api/manage/providers/mine', status: 200 },
  { name: 'a provider of the house stays', method: 'DELETE', path: '/api/manage/providers/anthropic', status: 404 },
  {
    name: 'a price is set',
    ...POST,
    path: '/api/manage/prices',
    as: 'admin',
    body: { provider: 'anthropic', model: 'no-such-model', usdPerMillion: { input: '1', output: '2.5' } },
    status: 201,
    has: ['"usdPerMillion":{"input":1,"output":2.5}', '"source":"user"'],
  },
  {
    name: 'a price of nothing',
    ...POST,
    path: '/api/manage/prices',
    body: { provider: 'anthropic', model: 'm', usdPerMillion: {} },
    status: 400,
  },
  {
    name: 'a price as a float',
    ...POST,
    path: '/api/manage/prices',
    body: { provider: 'anthropic', model: 'm', usdPerMillion: { input: 1.1 } },
    status: 400,
  },
  { name: 'own prices are listed', path: '/api/manage/prices', as: 'admin', status: 200, has: ['no-such-model'] },
  { name: "another workspace's prices", path: '/api/manage/prices', as: 'stranger', status: 200, has: [/^\[\]$/] },
  {
    name: 'prices are not refreshed from nowhere',
    ...POST,
    path: '/api/manage/prices/refresh',
    status: 422,
    has: ['SVC_PRICES_URL'],
  },
  {
    name: 'the audit tells who did what',
    path: '/api/manage/audit?limit=500',
    as: 'admin',
    status: 200,
    has: ['"action":"key.create"', '"actor":"owner"', '"actor":"tok_'],
    lacks: [...SECRETS, 'Other'],
  },
  { name: 'the audit, page by page', path: '/api/manage/audit?limit=1', status: 200, has: [/"nextCursor":\d+/] },
  { name: 'the doctor finds nothing', path: '/api/manage/doctor', status: 200, has: ['"ok":true', '"state":"ok"'] },
  { name: 'an admin is no owner: doctor', path: '/api/manage/doctor', as: 'admin', status: 403 },
  {
    name: 'an admin is no owner: backup',
    ...POST,
    path: '/api/manage/backup',
    as: 'admin',
    body: { folder: '/tmp/x' },
    status: 403,
  },
  {
    name: 'an admin is no owner: secret',
    ...POST,
    path: '/api/manage/secret/rotate',
    as: 'admin',
    body: {},
    status: 403,
  },
  {
    name: 'the secret is rotated',
    ...POST,
    path: '/api/manage/secret/rotate',
    body: {},
    status: 200,
    has: ['"setByOperator":false'],
  },

  // Export
  {
    name: 'export as CSV',
    path: '/api/manage/export?format=csv',
    as: 'admin',
    status: 200,
    has: [
      'id,startedAt,',
      'keyId,keyName,',
      'call_one,2026-03-15T11:00:00.000Z,',
      /,key_\w{22},\w+,200,completed,/,
      '\r\n',
      '"{""team"":""search""}"',
    ],
    lacks: ['call_strange', 'call_old'],
  },
  {
    name: 'export as JSON lines',
    path: '/api/manage/export?format=jsonl',
    as: 'admin',
    status: 200,
    has: [/^\{"id":/, '"id":"call_one"'],
    lacks: ['call_strange'],
  },
  {
    name: 'export as FOCUS',
    path: '/api/manage/export?format=focus',
    as: 'admin',
    status: 200,
    has: [
      'BilledCost,EffectiveCost,ListCost',
      '0.0105,0.0105',
      'AI and Machine Learning',
      '2026-03-01T00:00:00Z,2026-04-01T00:00:00Z,2026-03-15T11:00:00Z,2026-03-15T11:00:02Z',
      'Anthropic API',
    ],
    lacks: ['call_strange', 'not_sent'],
  },
  {
    name: 'export as something else',
    path: '/api/manage/export?format=xls',
    as: 'admin',
    status: 400,
    has: ['csv, jsonl, focus'],
  },
  { name: 'export needs admin', path: '/api/manage/export', as: 'reader', status: 403 },

  // Public
  {
    name: 'the page',
    path: '/',
    as: null,
    status: 200,
    has: ['<!doctype html>', 'tollbook keys create', 'tollbook tokens create', '/openapi.json'],
    lacks: ['<script', 'DEMO', 'call_'],
  },
  { name: 'the OpenAPI document', path: '/openapi.json', as: null, status: 200, has: ['"openapi":"3.1.1"'] },
];

function fill(text: string): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => given[name] ?? whole);
}

function filled<T>(value: T): T {
  return (value === undefined ? value : JSON.parse(fill(JSON.stringify(value)))) as T;
}

describe('requests', () => {
  test.each(CASES)('$name → $status', async ({ path, method, body, headers, as, status, has = [], lacks = [] }) => {
    const asked: Asked = {
      ...(method && { method }),
      ...(body !== undefined && { body: typeof body === 'string' ? body : filled(body) }),
      ...(headers && { headers: filled(headers) }),
      ...(as !== undefined && { token: as === null ? null : (given[as] ?? '') }),
    };
    const answer = await it.ask(fill(path), asked);
    const text = await answer.text();
    expect({ status: answer.status, text: status === answer.status ? '' : text }).toEqual({ status, text: '' });
    for (const part of has) {
      if (typeof part === 'string') expect(text).toContain(fill(part));
      else expect(text).toMatch(part);
    }
    for (const part of lacks) expect(text).not.toContain(part);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    if (status >= 400) checkError(text, answer);
    else checkAnswer(method ?? 'GET', path, text);
  });
});

function checkError(text: string, answer: Response): void {
  const body = JSON.parse(text) as Record<string, unknown>;
  expect(Object.keys(body).filter((name) => !['error', 'type', 'param', 'requestId'].includes(name))).toEqual([]);
  expect(body['requestId']).toBe(answer.headers.get('x-request-id'));
  expect(body['error']).toMatch(/^\S.{10,}\.$|^\S.{10,}: \S+/s);
}

/** Checks that an answer has exactly the documented fields: none missing, none undocumented. */
function checkAnswer(method: string, path: string, text: string): void {
  const { pathname } = new URL(fill(path), 'http://tollbook');
  const asked = endpoints.find(
    (one) => one.method === method && new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  if (!asked || asked.streams.length > 0) return;
  const body: unknown = JSON.parse(text);
  // Parsing drops fields that the shape does not have, and it can't keep a name such as __proto__.
  if (!text.includes('__proto__')) expect(asked.response.parse(body)).toEqual(body);
}

describe('every response', () => {
  test('to a token has the remaining requests, until there are none', async () => {
    const own = await openTestLedger({ SVC_TOKEN_REQUESTS_PER_MINUTE: '2' });
    const token = await own.createToken();
    const other = await own.createToken();
    const left = async (secret: string): Promise<(string | number | null)[]> => {
      const { status, headers } = await own.ask('/api/mcp/usage/summary', { token: secret });
      return [
        status,
        headers.get('x-ratelimit-limit'),
        headers.get('x-ratelimit-remaining'),
        headers.get('retry-after'),
      ];
    };
    own.time.now = NOW + 15_000;
    expect(await left(token)).toEqual([200, '2', '1', null]);
    expect(await left(token)).toEqual([200, '2', '0', null]);
    expect(await left(token)).toEqual([429, '2', '0', '45']);
    expect(await left(other)).toEqual([200, '2', '1', null]);
    own.time.now = NOW + 60_000;
    expect(await left(token)).toEqual([200, '2', '1', null]);
    await own.close();
  });

  test('to a revoked or expired token is the same as to an unknown one', async () => {
    const create = (body: object): Promise<{ id: string; token: string }> =>
      it.json('/api/manage/tokens', { method: 'POST', body });
    const revoked = await create({ name: 'revoked' });
    await it.json(`/api/manage/tokens/${revoked.id}`, { method: 'DELETE' });
    const expired = await create({ name: 'expired', expiresAt: '2026-03-15' });
    const secrets = [revoked.token, expired.token, 'svc_sk_nonsense'];
    it.time.now = NOW + DAY_MS;
    const answers = await Promise.all(
      secrets.map(async (token) => {
        const answer = await it.ask('/api/mcp/usage/summary', { token });
        const { error, type } = (await answer.json()) as { error: string; type: string };
        return [answer.status, error, type, answer.headers.get('www-authenticate')];
      }),
    );
    it.time.now = NOW;
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(answers[0]?.[0]).toBe(401);
  });

  test('to HEAD has no body, and OPTIONS lists the methods', async () => {
    const token = given['hooks'] ?? '';
    const head = await it.ask('/api/mcp/webhooks', { method: 'HEAD', token });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const options = await it.ask('/api/mcp/webhooks', { method: 'OPTIONS', token: null });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, POST, HEAD, OPTIONS']);
  });

  test('to an unexpected error says "internal" to the caller, and the log has the whole error', async () => {
    const own = await openTestLedger();
    own.ledger.store.reports.summary = () => Promise.reject(new Error('SQLite is on fire'));
    const answer = await own.ask('/api/mcp/usage/summary');
    const body = (await answer.json()) as { error: string; requestId: string };
    expect(answer.status).toBe(500);
    expect(body.error).not.toContain('fire');
    const found = own.logged.find((line) => line.includes('SQLite is on fire'));
    expect(found).toContain(body.requestId);
    await own.close();
  });

  test('to a server error has an ID that is in the log; errors of the request are not logged', async () => {
    const own = await openTestLedger();
    const idOf = async (path: string): Promise<string> => {
      const { requestId } = (await (await own.ask(path)).json()) as { requestId: string };
      return requestId;
    };
    const busy = new TollbookError('unavailable', 'The ledger is busy with another change. Try again.');
    own.ledger.store.reports.summary = () => Promise.reject(busy);
    const failed = await idOf('/api/mcp/usage/summary');
    const refused = await idOf('/api/mcp/usage/summary?startDate=never');
    expect(own.logged.filter((line) => line.includes(failed))).toEqual([expect.stringContaining(busy.message)]);
    expect(own.logged.join('\n')).not.toContain(refused);
    await own.close();
  });
});

describe('the gateway', () => {
  test('gets every change of a key, a token, a price and a provider', async () => {
    const own = await openTestLedger();
    const { id } = await own.createKey('one');
    await own.json(`/api/manage/keys/${id}`, { method: 'DELETE' });
    await own.createToken();
    const price = { provider: 'anthropic', model: 'm', usdPerMillion: { input: '1' } };
    await own.json('/api/manage/prices', { method: 'POST', body: price });
    await own.json('/api/manage/providers', { method: 'POST', body: { id: 'p', name: 'P', url: 'http://10.1.1.1' } });
    expect(own.sentToGateway.map(({ type }) => type)).toEqual([
      'key-changed',
      'key-changed',
      'token-changed',
      'custom-prices-changed',
      'providers-changed',
    ]);
    expect(own.sentToGateway[0]).toMatchObject({
      key: { id, providerKey: 'sk-good-provider-key-11111111', revokedAt: null },
    });
    expect(own.sentToGateway[1]).toMatchObject({ key: { id, providerKey: '', revokedAt: NOW } });
    await own.close();
  });
});

describe('an export', () => {
  test('escapes text that a spreadsheet would run', async () => {
    const own = await openTestLedger();
    await own.ship([
      own.entry({ model: '=HYPERLINK("http://evil")' }),
      own.entry({ model: ' +1' }),
      own.entry({ model: '@SUM' }),
    ]);
    const csv = await (await own.ask('/api/manage/export')).text();
    expect(csv).toContain(`"'=HYPERLINK(""http://evil"")"`);
    expect(csv).toContain(`,' +1,`);
    expect(csv).toContain(`,'@SUM,`);
    await own.close();
  });

  test('has every entry once, over any number of pages', async () => {
    const own = await openTestLedger();
    const entries = Array.from({ length: 1_203 }, (_, index) => own.entry({ startedAt: NOW - HOUR_MS - (index % 7) }));
    for (let at = 0; at < entries.length; at += 500) await own.ship(entries.slice(at, at + 500));
    const lines = (await (await own.ask('/api/manage/export?format=jsonl')).text()).trim().split('\n');
    const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
    expect([ids.length, new Set(ids).size]).toEqual([1_203, 1_203]);
    await own.close();
  });

  test('is read from the store only as fast as the client reads it', async () => {
    const own = await openTestLedger();
    const entries = Array.from({ length: 2_000 }, () => own.entry());
    for (let at = 0; at < entries.length; at += 500) await own.ship(entries.slice(at, at + 500));
    let pages = 0;
    const { reports } = own.ledger.store;
    const readPage = reports.entriesPage;
    reports.entriesPage = (...query) => ((pages += 1), readPage(...query));
    const reader = (await own.ask('/api/manage/export')).body?.getReader();
    await reader?.read();
    expect(pages).toBeLessThanOrEqual(2);
    await reader?.cancel();
    await own.close();
  });
});

describe('the OpenAPI document', () => {
  test('lists every endpoint with everything that it refers to', async () => {
    const document = await it.json<{
      paths: Record<string, Record<string, { operationId: string; parameters: { name: string; in: string }[] }>>;
      components: { schemas: Record<string, unknown> };
    }>('/openapi.json');
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(listed.toSorted()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).toSorted());
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    const text = JSON.stringify(document);
    for (const [, id] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(document.components.schemas).toHaveProperty(id ?? '');
    expect(text).not.toContain('$defs');
    expect(text).not.toContain('"$schema"');
    const byTag = document.paths['/api/mcp/usage/by-tag']?.['get']?.parameters.map(({ name }) => name);
    expect(byTag).toEqual(['startDate', 'endDate', 'tagKey', 'limit', 'cost']);
  });
});
