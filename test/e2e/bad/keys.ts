import { BODIES, PATHS, type BadRequest } from './bad-request.ts';

type Given = Pick<BadRequest, 'name' | 'status'> & Partial<BadRequest>;

function anthropic(given: Given): BadRequest {
  return { path: PATHS.anthropic, body: BODIES.anthropic, shape: 'anthropic', ...given };
}

const NO_KEY = { status: 401, says: /No wrapped key was sent/ };
const UNKNOWN = { status: 401, says: /wrapped key/ };
const TOKEN = { status: 403, says: /access token; the proxy takes a wrapped key/ };
const TWO = { status: 400, says: /Two different (wrapped )?keys/ };

/** Secrets that are missing, wrong, in the wrong place or of the wrong kind. */
export const KEYS: readonly BadRequest[] = [
  anthropic({ name: 'no key', ...NO_KEY }),
  anthropic({ name: 'an empty authorization', headers: { authorization: '' }, ...NO_KEY }),
  anthropic({ name: 'a bearer without a key', headers: { authorization: 'Bearer ' }, ...NO_KEY }),
  anthropic({ name: 'a key without its scheme', headers: { authorization: '{{anthropic}}' }, ...NO_KEY }),
  anthropic({ name: 'basic authorization', headers: { authorization: 'Basic {{anthropic}}' }, ...NO_KEY }),
  anthropic({ name: 'digest authorization', headers: { authorization: 'Digest username="{{anthropic}}"' }, ...NO_KEY }),
  anthropic({ name: 'an empty x-api-key', headers: { 'x-api-key': '' }, ...NO_KEY }),
  anthropic({ name: 'a key in a header of its own', headers: { 'x-my-key': '{{anthropic}}' }, ...NO_KEY }),
  anthropic({
    name: 'a key in proxy-authorization',
    headers: { 'proxy-authorization': 'Bearer {{anthropic}}' },
    ...NO_KEY,
  }),
  anthropic({ name: 'a key in a cookie', headers: { cookie: 'key={{anthropic}}' }, ...NO_KEY }),
  anthropic({ name: 'a key in the body', body: '{"api_key":"{{anthropic}}","model":"m"}', ...NO_KEY }),
  anthropic({ name: 'a key in another parameter', path: `${PATHS.anthropic}?api_key={{anthropic}}`, ...NO_KEY }),
  anthropic({ name: 'an empty key in the query', path: `${PATHS.anthropic}?key=`, ...NO_KEY }),
  anthropic({
    name: "the provider's own key",
    headers: { 'x-api-key': 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz' },
    status: 401,
    says: /wrap it with/,
  }),
  anthropic({ name: 'an unknown key', headers: { authorization: `Bearer svc_sk_${'a'.repeat(44)}` }, ...UNKNOWN }),
  anthropic({ name: 'a key with a letter more', headers: { authorization: 'Bearer {{anthropic}}x' }, ...UNKNOWN }),
  anthropic({ name: 'the prefix alone', headers: { authorization: 'Bearer svc_sk_' }, ...UNKNOWN }),
  anthropic({ name: 'a key in quotes', headers: { authorization: 'Bearer "{{anthropic}}"' }, ...UNKNOWN }),
  anthropic({ name: 'a key and a word', headers: { authorization: 'Bearer {{anthropic}} x' }, ...UNKNOWN }),
  anthropic({ name: 'a key of 20 KB', headers: { authorization: `Bearer svc_sk_${'a'.repeat(20_000)}` }, ...UNKNOWN }),
  anthropic({
    name: 'a key with bytes beyond ASCII',
    headers: { authorization: 'Bearer {{anthropic}}\u00ff\u00fe' },
    ...UNKNOWN,
  }),
  anthropic({ name: 'the name of an inherited member', headers: { authorization: 'Bearer __proto__' }, ...UNKNOWN }),
  anthropic({
    name: 'a revoked key',
    headers: { authorization: 'Bearer {{revoked}}' },
    status: 401,
    says: /was revoked/,
  }),
  anthropic({
    name: 'an expired key',
    headers: { authorization: 'Bearer {{expired}}' },
    status: 401,
    says: /has expired/,
  }),
  anthropic({ name: 'an access token as bearer', headers: { authorization: 'Bearer {{token}}' }, ...TOKEN }),
  anthropic({ name: 'an access token as x-api-key', headers: { 'x-api-key': '{{token}}' }, ...TOKEN }),
  anthropic({ name: 'an access token as x-goog-api-key', headers: { 'x-goog-api-key': '{{admin}}' }, ...TOKEN }),
  anthropic({ name: 'an access token in the query', path: `${PATHS.anthropic}?key={{token}}`, ...TOKEN }),
  anthropic({
    name: "another provider's key",
    headers: { 'x-api-key': '{{google}}' },
    status: 403,
    says: /\/api\/proxy\/google/,
  }),
  anthropic({
    name: "another provider's key in the query, percent-encoded",
    path: `${PATHS.anthropic}?%6bey={{openai}}`,
    status: 403,
    says: /openai/,
  }),
  anthropic({
    name: 'two different keys in two headers',
    headers: { authorization: 'Bearer {{anthropic}}', 'x-api-key': '{{anthropicOther}}' },
    ...TWO,
  }),
  anthropic({
    name: 'two different keys for two clients',
    headers: { 'x-goog-api-key': '{{anthropic}}', 'x-api-key': '{{anthropicOther}}' },
    ...TWO,
  }),
  anthropic({
    name: 'a key in a header, another in the query',
    path: `${PATHS.anthropic}?key={{anthropicOther}}`,
    headers: { 'x-api-key': '{{anthropic}}' },
    ...TWO,
  }),
  anthropic({
    name: 'two different keys in the query',
    path: `${PATHS.anthropic}?key={{anthropic}}&key={{anthropicOther}}`,
    ...TWO,
  }),
  anthropic({
    name: 'two authorizations with different keys',
    headers: { authorization: ['Bearer {{anthropic}}', 'Bearer {{anthropicOther}}'] },
    ...UNKNOWN,
  }),
  anthropic({
    name: 'two x-api-key headers with different keys',
    headers: { 'x-api-key': ['{{anthropic}}', '{{anthropicOther}}'] },
    status: 401,
  }),
  anthropic({
    name: 'a key and an access token',
    headers: { authorization: 'Bearer {{token}}', 'x-api-key': '{{anthropic}}' },
    ...TWO,
  }),
  {
    name: "Anthropic's key at Google's address",
    path: PATHS.google,
    body: BODIES.google,
    headers: { 'x-goog-api-key': '{{anthropic}}' },
    status: 403,
    shape: 'google',
    says: /\/api\/proxy\/anthropic/,
  },
  {
    name: 'no key at OpenAI',
    path: PATHS.openai,
    body: BODIES.openai,
    status: 401,
    shape: 'openai',
    says: /No wrapped key/,
  },
  {
    name: 'no key at Google',
    path: PATHS.google,
    body: BODIES.google,
    status: 401,
    shape: 'google',
    says: /No wrapped key/,
  },
  {
    name: 'an access token at Google, in the query',
    path: '/api/proxy/google/v1beta/models/gemini-2.5-flash:generateContent?key={{token}}',
    body: BODIES.google,
    status: 403,
    shape: 'google',
    says: /access token/,
  },
];

/** A wrapped key opens nothing but the proxy, and a narrow token nothing but its scope. */
export const DOORS: readonly BadRequest[] = [
  ...['/api/mcp/usage/summary', '/api/mcp/entries', '/api/mcp/webhooks', '/api/manage/keys', '/api/manage/export'].map(
    (path): BadRequest => ({
      name: `a wrapped key at ${path}`,
      method: 'GET',
      path,
      headers: { authorization: 'Bearer {{anthropic}}' },
      status: 403,
      shape: 'own',
      says: /wrapped key works only for the proxy/,
    }),
  ),
  ...(
    [
      ['no token', {}],
      ['a token as x-api-key', { 'x-api-key': '{{admin}}' }],
      ['a token in a cookie', { cookie: 'token={{admin}}' }],
    ] as const
  ).map(([name, headers]): BadRequest => ({
    name,
    method: 'GET',
    path: '/api/mcp/usage/summary',
    headers,
    status: 401,
    shape: 'own',
    says: /needs an access token/,
  })),
  ...[
    ['a token in the query', '/api/mcp/usage/summary?key={{admin}}'],
    ['a token as access_token', '/api/mcp/usage/summary?access_token={{admin}}'],
  ].map(([name = '', path = '']): BadRequest => ({
    name,
    method: 'GET',
    path,
    status: 401,
    shape: 'own',
    says: /access token/,
  })),
  ...[
    'Basic {{admin}}',
    '{{admin}}',
    'Bearer',
    'Bearer {{admin}}x',
    'Bearer {{admin}} {{admin}}',
    `Bearer ${'a'.repeat(9_000)}`,
  ].map((authorization): BadRequest => ({
    name: `"${authorization.slice(0, 30)}" as a token`,
    method: 'GET',
    path: '/api/mcp/usage/summary',
    headers: { authorization },
    status: 401,
    shape: 'own',
    says: /access token/,
  })),
  {
    name: 'two authorizations with different tokens',
    method: 'GET',
    path: '/api/manage/keys',
    headers: { authorization: ['Bearer {{reader}}', 'Bearer {{admin}}'] },
    status: 401,
    shape: 'own',
  },
  ...(
    [
      ['GET', '/api/manage/keys'],
      ['POST', '/api/manage/keys'],
      ['POST', '/api/manage/tokens'],
      ['GET', '/api/manage/audit'],
      ['GET', '/api/manage/export'],
      ['GET', '/api/mcp/webhooks'],
      ['POST', '/api/mcp/webhooks'],
    ] as const
  ).map(([method, path]): BadRequest => ({
    name: `${method} ${path} with a token that reads usage`,
    method,
    path,
    headers: { authorization: 'Bearer {{reader}}' },
    status: 403,
    shape: 'own',
    says: /has no scope/,
  })),
  ...(
    [
      ['POST', '/api/manage/backup', '{"folder":"/tmp/x"}'],
      ['POST', '/api/manage/workspaces', '{"name":"x"}'],
      ['POST', '/api/manage/providers', '{"id":"x","name":"x","url":"http://127.0.0.1"}'],
      ['POST', '/api/manage/secret/rotate', ''],
    ] as const
  ).map(([method, path, body]): BadRequest => ({
    name: `${method} ${path} through the public door`,
    method,
    path,
    body,
    headers: { authorization: 'Bearer {{admin}}', 'content-type': 'application/json', 'x-svc-workspace': 'ws_default' },
    status: 403,
    shape: 'own',
    says: /use the command line/i,
  })),
];
