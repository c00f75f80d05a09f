import { gzipSync } from 'node:zlib';
import type { BadRequest } from './bad-request.ts';

const JSON_BODY = { authorization: 'Bearer {{admin}}', 'content-type': 'application/json' };

function send(method: string, path: string, name: string, body: unknown, says: RegExp, status = 400): BadRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    name: `${method} ${path}: ${name}`,
    method,
    path,
    headers: JSON_BODY,
    body: text,
    status,
    shape: 'own',
    says,
  };
}

const KEYS = '/api/manage/keys';
const key = (name: string, body: unknown, says: RegExp, status = 400) => send('POST', KEYS, name, body, says, status);
const GOOD_KEY = { name: 'k', provider: 'anthropic', providerKey: 'sk-x' };
const token = (name: string, body: unknown, says: RegExp) => send('POST', '/api/manage/tokens', name, body, says);
const GOOD_HOOK = { name: 'w', url: 'https://example.com/hook', type: 'SLACK', events: ['COST_SPIKE'] };
const hook = (name: string, change: object, says: RegExp) =>
  send('POST', '/api/mcp/webhooks', name, { ...GOOD_HOOK, ...change }, says);
const GOOD_PRICE = { provider: 'anthropic', model: 'm', usdPerMillion: { input: '1', output: '2' } };
const price = (name: string, change: object, says: RegExp) =>
  send('POST', '/api/manage/prices', name, { ...GOOD_PRICE, ...change }, says);

const BODIES: readonly BadRequest[] = [
  key('no body', '', /no body/),
  key('not JSON', '{"name":', /not well-formed JSON/),
  key('a byte order mark', `\uFEFF\uFEFF${JSON.stringify(GOOD_KEY)}`, /not well-formed JSON/),
  key('an array', [GOOD_KEY], /must be an object/),
  key('null', 'null', /must be an object/),
  key('arrays 100,000 deep', '['.repeat(100_000), /nests deeper than 32 levels/),
  key('1 MiB and more', { ...GOOD_KEY, name: 'n'.repeat(1_100_000) }, /larger than 1 MiB/, 413),
  key('no name', { provider: 'anthropic', providerKey: 'sk-x' }, /name is missing/),
  key('a number for a name', { ...GOOD_KEY, name: 5 }, /name must be a string/),
  key('an empty name', { ...GOOD_KEY, name: ' ' }, /Give it a name/),
  key('a name of 101 letters', { ...GOOD_KEY, name: 'n'.repeat(101) }, /longer than 100/),
  key('a name with a line break', { ...GOOD_KEY, name: 'a\r\nb' }, /can't be shown/),
  key(
    'a name with half a surrogate',
    String.raw`{"name":"a\ud800","provider":"anthropic","providerKey":"sk-x"}`,
    /can't be shown/,
  ),
  key('an unknown field', { ...GOOD_KEY, workspaceId: 'ws_other' }, /unknown fields: "workspaceId"/),
  key(
    'a field __proto__',
    '{"name":"k","provider":"anthropic","providerKey":"k","__proto__":{"force":true}}',
    /__proto__/,
  ),
  key('an unknown provider', { ...GOOD_KEY, provider: 'nobody' }, /no provider "nobody"/),
  key('an inherited provider', { ...GOOD_KEY, provider: 'constructor' }, /no provider/),
  key('no provider key', { name: 'k', provider: 'anthropic' }, /one of providerKey, providerKeyOf/),
  key('two provider keys', { ...GOOD_KEY, providerKeyOf: 'key_1' }, /one of providerKey, providerKeyOf/),
  key('an empty provider key', { ...GOOD_KEY, providerKey: '' }, /providerKey must be at least 1/),
  key('a blank provider key', { ...GOOD_KEY, providerKey: '  ' }, /is empty/, 422),
  key('a provider key with a line break', { ...GOOD_KEY, providerKey: 'sk-a\r\nx-b: c' }, /spaces, line breaks/, 422),
  key('a wrapped key as provider key', { ...GOOD_KEY, providerKey: '{{anthropic}}' }, /wrapped key of Tollbook/, 422),
  key('an admin key as provider key', { ...GOOD_KEY, providerKey: 'sk-ant-admin01-x' }, /admin key/, 422),
  key('the provider key of nobody', { name: 'k', provider: 'anthropic', providerKeyOf: 'key_nobody' }, /key/, 404),
  key('tags as a text', { ...GOOD_KEY, tags: 'a=b' }, /tags must be/),
  key('a tag that is a number', { ...GOOD_KEY, providerKey: 'sk-x', tags: { a: 1 } }, /tags.a must be a string/),
  key('an expiry that is no date', { ...GOOD_KEY, expiresAt: 'tomorrow' }, /expiresAt is not a date/),
  key('a tag with a line break', { ...GOOD_KEY, tags: { a: 'b\nc' } }, /control characters/),
  key('an expiry that the calendar lacks', { ...GOOD_KEY, expiresAt: '2030-02-31' }, /not a date/),
  key('an expiry as a number', { ...GOOD_KEY, expiresAt: 1_900_000_000_000 }, /expiresAt must be/),
  key('force as a text', { ...GOOD_KEY, force: 'true' }, /force must be a boolean/),
  send('PATCH', `${KEYS}/key_nobody`, 'a key that is not', { name: 'x' }, /key/, 404),
  send('PATCH', `${KEYS}/__proto__`, 'a key that is not', { name: 'x' }, /key/, 404),
  send('PATCH', `${KEYS}/key_nobody`, 'an unknown field', { revokedAt: null }, /unknown fields: "revokedAt"/),
  send('DELETE', `${KEYS}/key_nobody`, 'a key that is not', '', /key/, 404),
  send('POST', `${KEYS}/key_nobody/provider-key`, 'a key that is not', { providerKey: 'sk-x' }, /key/, 404),
  send('DELETE', KEYS, 'all keys at once', '', /does not support DELETE/, 405),
  token('no name', {}, /name is missing/),
  token('a scope that is not', { name: 't', scopes: ['root'] }, /Unknown scope "root"/),
  token('scopes as a text', { name: 't', scopes: 'admin' }, /scopes must be an array/),
  token('an unknown field', { name: 't', isOwner: true }, /unknown fields: "isOwner"/),
  token('an expiry in the past', { name: 't', expiresAt: '2001-01-01T00:00:00Z' }, /past/),
  send('DELETE', '/api/manage/tokens/tok_nobody', 'a token that is not', '', /token/, 404),
  hook('a type that is not', { type: 'PAGER' }, /Unknown webhook type "PAGER"/),
  hook('no events', { events: [] }, /at least one event/),
  hook('an event that is not', { events: ['EVERYTHING'] }, /Unknown event "EVERYTHING"/),
  hook('events as a text', { events: 'COST_SPIKE' }, /events must be an array/),
  hook('no address', { url: '' }, /not a valid URL/),
  hook('a plain address', { url: 'http://example.com' }, /https/),
  hook('an address with a password', { url: 'https://a:b@example.com' }, /password/),
  hook('an empty secret', { secret: '' }, /secret must be at least 1/),
  hook('a secret without end', { secret: 's'.repeat(1_001) }, /longer than 1000/),
  hook('a mail address where a program is', { url: 'mailto:a@example.com' }, /not a valid URL/),
  hook('an unknown digest', { digest: 'daily' }, /digest/),
  hook('a name of 101 letters', { name: 'n'.repeat(101) }, /longer than 100/),
  ...[
    'localhost',
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '169.254.169.254',
    'metadata.google.internal',
  ].map((host) => hook(`an address inside: ${host}`, { url: `https://${host}/` }, /private (address|network)/)),
  price('a negative rate', { usdPerMillion: { input: '-1', output: '2' } }, /usdPerMillion/),
  price('a rate as a number', { usdPerMillion: { input: 1, output: 2 } }, /usdPerMillion/),
  price('a rate beyond all numbers', { usdPerMillion: { input: '1e99', output: '2' } }, /usdPerMillion/),
  price('no rates', { usdPerMillion: {} }, /usdPerMillion/),
  price('a class that is not', { usdPerMillion: { prompt: '1' } }, /usdPerMillion|prompt/),
  price('an end before its begin', { from: '2026-02-01', until: '2026-01-01' }, /until/),
  price('a model with spaces', { model: 'a b' }, /model/),
  price('an unknown field', { discount: 1 }, /discount/),
  send('DELETE', '/api/manage/prices/price_nobody', 'a price that is not', '', /price/, 404),
  send('PATCH', '/api/manage/workspaces/ws_other', "another's workspace", { name: 'x' }, /no workspace/, 404),
  send(
    'PATCH',
    '/api/manage/workspaces/ws_default',
    'a time zone that is not',
    { timeZone: 'Mars/Olympus' },
    /time zone/,
  ),
  send('PATCH', '/api/manage/workspaces/ws_default', 'half a day', { retentionDays: 0.5 }, /retentionDays/),
  send('PATCH', '/api/manage/workspaces/ws_default', 'no days', { retentionDays: 0 }, /retentionDays/),
  send(
    'PATCH',
    '/api/manage/workspaces/ws_default',
    'days beyond all numbers',
    '{"retentionDays":1e300}',
    /retentionDays/,
  ),
];

function ofType(type: string): BadRequest {
  const good = token(`the content type "${type}"`, { name: 't' }, /Send the body as JSON/);
  return { ...good, headers: { ...JSON_BODY, 'content-type': type }, status: 415 };
}

/** Good bodies that come in a wrong way. */
const WAYS: readonly BadRequest[] = [
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonx', ''].map(ofType),
  {
    ...token('a compressed body', '', /not UTF-8/),
    body: () => gzipSync('{"name":"t"}'),
    headers: { ...JSON_BODY, 'content-encoding': 'gzip' },
  },
  { ...token('invalid UTF-8', '', /not UTF-8/), body: () => Buffer.from('{"name":"\xff"}', 'latin1') },
];

export const MANAGEMENT: readonly BadRequest[] = [...BODIES, ...WAYS];

function ask(path: string, says: RegExp, status = 400): BadRequest {
  const headers = { authorization: 'Bearer {{admin}}' };
  return { name: `GET ${path.slice(0, 90)}`, method: 'GET', path, headers, status, shape: 'own', says };
}

const MCP = '/api/mcp';

/** Parameters of reports. */
export const REPORTS: readonly BadRequest[] = [
  ask(`${MCP}/usage/summary?startDate=yesterday`, /startDate is not a date/),
  ask(`${MCP}/usage/summary?startDate=`, /startDate is not a date/),
  ask(`${MCP}/usage/summary?startDate=2026-02-30`, /startDate is not a date/),
  ask(`${MCP}/usage/summary?startDate=2026-13-01`, /startDate is not a date/),
  ask(`${MCP}/usage/summary?startDate=1e10`, /startDate is not a date/),
  ask(`${MCP}/usage/summary?startDate=-000001-01-01`, /startDate is not a date/),
  ask(`${MCP}/usage/summary?endDate=99999-01-01`, /endDate is not a date/),
  ask(`${MCP}/usage/summary?endDate=2026-01-01T25:00:00Z`, /endDate is not a date/),
  ask(`${MCP}/usage/summary?startDate=2026-02-01&endDate=2026-01-01`, /begins after its end/),
  ask(`${MCP}/usage/summary?startDate=2026-01-01&startDate=2026-01-02`, /once/),
  ask(`${MCP}/usage/summary?startDate=2026-01-01&st%61rtDate=2026-01-02`, /once/),
  ask(`${MCP}/usage/by-tag`, /tagKey is missing/),
  ask(`${MCP}/usage/by-tag?tagKey=`, /tagKey must be at least 1/),
  ask(`${MCP}/usage/by-tag?tagKey=a&tagKey=b`, /once/),
  ...['0', '101', '-1', '1.5', '1e1', '0x10', '%2010', 'ten', '', '99999999999999999999'].map((limit) =>
    ask(`${MCP}/usage/by-tag?tagKey=a&limit=${limit}`, /limit must be/),
  ),
  ask(`${MCP}/usage/by-tag?tagKey=a&startDate=x`, /startDate/),
  ask(`${MCP}/usage/series?step=second`, /step must be one of/),
  ask(`${MCP}/usage/series?by=everything`, /by must be one of/),
  ask(`${MCP}/usage/series?by=tag`, /Give both or neither/),
  ask(`${MCP}/usage/series?tagKey=a`, /Give both or neither/),
  ask(`${MCP}/usage/series?step=hour&startDate=1970-01-01`, /more than 2000 steps/),
  ask(`${MCP}/usage/series?tag=novalue`, /not a tag/),
  ask(`${MCP}/usage/series?source=rumour`, /source must be one of/),
  ask(`${MCP}/usage/series?status=ok`, /status must be/),
  ask(`${MCP}/usage/series?limit=0`, /limit must be/),
  ask(`${MCP}/entries?limit=501`, /limit must be/),
  ask(`${MCP}/entries?limit=all`, /limit must be/),
  ask(`${MCP}/entries?cursor=x`, /cursor is not one/),
  ask(`${MCP}/entries?cursor=`, /cursor is not one/),
  ask(`${MCP}/entries?cursor=1%27%3B--.1`, /cursor is not one/),
  ask(`${MCP}/entries?uncertain=maybe`, /uncertain must be/),
  ask(`${MCP}/entries?status=1000`, /status must be/),
  ask(`${MCP}/entries/call_nobody`, /entry/, 404),
  ask(`${MCP}/entries/%27%20OR%201=1`, /entry/, 404),
  ask(`${MCP}/pricing?provider=`, /provider must be/),
  ask('/api/manage/export?format=xlsx', /format must be one of/),
  ask('/api/manage/export?startDate=x', /startDate/),
  ask('/api/manage/audit?limit=0', /limit must be/),
  ask('/api/manage/audit?cursor=-1', /cursor must be/),
];
