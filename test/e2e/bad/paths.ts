import { BODIES, PATHS, type BadRequest, type Shape } from './bad-request.ts';

function at(
  shape: 'anthropic' | 'google' | 'openai',
  path: string,
  status: number,
  says?: RegExp,
  method = 'POST',
): BadRequest {
  return {
    name: `${method} ${path}`,
    method,
    path,
    headers: { authorization: `Bearer {{${shape}}}`, 'content-type': 'application/json' },
    body: method === 'GET' ? '' : BODIES[shape],
    status,
    shape,
    ...(says ? { says } : {}),
  };
}

function own(method: string, path: string, status: number, says?: RegExp, shape: Shape = 'own'): BadRequest {
  const headers = { authorization: 'Bearer {{anthropic}}' };
  return { name: `${method} ${path}`, method, path, headers, status, shape, ...(says ? { says } : {}) };
}

const A = '/api/proxy/anthropic';
const G = '/api/proxy/google';
const O = '/api/proxy/openai';
const PLAIN = /may contain only plain names/;

/** Paths that lead somewhere else than they seem to. */
const TRICKS: readonly BadRequest[] = [
  at('anthropic', `${A}/v1/models/../../v1/messages`, 400, PLAIN),
  at('anthropic', `${A}/v1/messages/../files`, 400, PLAIN),
  at('anthropic', `${A}/v1/./messages`, 400, PLAIN),
  at('anthropic', `${A}/%76%31/messages`, 400, PLAIN),
  at('anthropic', `${A}/v1%2fmessages`, 400, PLAIN),
  at('anthropic', `${A}/v1/models/%2e%2e/messages`, 400, PLAIN),
  at('anthropic', `${A}/v1/models/%2E%2E%2Fmessages`, 400, PLAIN),
  at('anthropic', `${A}/v1/messages%00`, 400, PLAIN),
  at('anthropic', `${A}/v1/messages%0d%0ax-a:%20b`, 400, PLAIN),
  at('anthropic', `${A}//v1/messages`, 400, PLAIN),
  at('anthropic', `${A}/v1//messages`, 400, PLAIN),
  at('anthropic', `${A}/v1/messages//`, 400, PLAIN),
  at('anthropic', `${A}/v1/messages;x=1`, 400, PLAIN),
  at('anthropic', `${A}/v1\\messages`, 400, PLAIN),
  at('anthropic', `${A}/v1/messages*`, 400, PLAIN),
  at('anthropic', `${A}/v1/models/{{anthropic}}`, 400, /secret/, 'GET'),
  at('anthropic', `${A}/v1/models/svc_sk_x`, 400, /secret/, 'GET'),
  at('anthropic', `${A}/v1/messages/${'a'.repeat(5_000)}`, 400, /longer than 4096/),
  at('anthropic', `${A}/v1/messages?x=%`, 400, /percent-encoded/),
  at('anthropic', `${A}/v1/messages?x=%ff%fe`, 400, /percent-encoded/),
  at('anthropic', `${A}/v1/messages?${'a=b&'.repeat(1_100)}`, 400, /longer than 4096/),
  at('google', `${G}/v1beta/models/../files`, 400, PLAIN),
  at('google', `${G}/v1beta/models/gemini-2.5-flash/../x:generateContent`, 400, PLAIN),
  at('google', `${G}/v1beta/models/..:generateContent`, 400, /is not a valid model name/),
  at('google', `${G}/v1beta/models/-x:generateContent`, 400, /is not a valid model name/),
  at('google', `${G}/v1beta/models/a~b:generateContent`, 400, /is not a valid model name/),
  at('google', `${G}/v1beta/models/{{google}}:generateContent`, 400, /secret/),
  at('google', `${G}/v1beta/models/gemini-2.5-flash%3AgenerateContent`, 400, PLAIN),
  at('google', `${G}/v1beta/models/a:generateContent:generateContent`, 404),
  at('google', `${G}/v1beta/models/:generateContent`, 404),
  at('google', `${G}/v1beta/models/a:GenerateContent`, 404, /is not supported/),
  at('google', `${G}/v1beta/models/a:constructor`, 404, /is not supported/),
  at('openai', `${O}/v1/chat/completions/../../files`, 400, PLAIN),
  at('openai', `${O}/v1/v1/chat/completions`, 404),
  at('openai', `${O}/constructor`, 404),
  at('openai', `${O}/__proto__`, 404),
  at('openai', `${O}/V1/chat/completions`, 404),
];

/** Routes of the providers whose cost the gate could not know. */
const UNSERVED: readonly BadRequest[] = [
  at('anthropic', `${A}/v1/messages/batches/msgbatch_1/lines`, 404, /Served paths/, 'GET'),
  at('anthropic', `${A}/v1/files`, 404, /Served paths/),
  at('anthropic', `${A}/v1/complete`, 404, /Served paths/),
  at('anthropic', `${A}/v1/organizations/api_keys`, 404, /Served paths/, 'GET'),
  at('anthropic', `${A}/v2/messages`, 404, /Served paths/),
  at('google', `${G}/v1beta/files`, 404, /Served paths/),
  at('google', `${G}/upload/v1beta/corpora`, 404, /Served paths/),
  at('google', `${G}/v1beta/cachedContents`, 404, /Served paths/),
  at('google', `${G}/v1beta/models/a:predictLongRunning`, 404, /cost cannot be determined/),
  at('google', `${G}/v1beta/models/a:asyncBatchEmbedContent`, 404, /cost cannot be determined/),
  at('google', `${G}/v1alpha/models/a:generateContent`, 404, /Served paths/),
  at('openai', `${O}/v1/realtime/sessions`, 404, /Realtime .* not supported.*Served/),
  at('openai', `${O}/v1/files/file-1/lines`, 404, /Served/, 'GET'),
  at('openai', `${O}/v1/fine_tuning/jobs`, 404, /Served/),
  at('openai', `${O}/v1`, 404, /Served/),
];

/** A method that the route doesn't take. */
const METHODS: readonly BadRequest[] = [
  at('anthropic', PATHS.anthropic, 405, /use POST/, 'GET'),
  at('anthropic', PATHS.anthropic, 405, /use POST/, 'PUT'),
  at('anthropic', PATHS.anthropic, 405, /use POST/, 'DELETE'),
  at('anthropic', PATHS.anthropic, 405, /use POST/, 'OPTIONS'),
  at('anthropic', PATHS.anthropic, 405, /use POST/, 'PROPFIND'),
  at('anthropic', PATHS.anthropic, 405, /use POST/, 'TRACE'),
  at('anthropic', `${A}/v1/models`, 405, /use GET/),
  at('anthropic', `${A}/v1/models/x`, 405, /use GET/, 'DELETE'),
  at('openai', `${O}/v1/files`, 405, /use POST/, 'GET'),
  at('openai', `${O}/v1/responses/resp_1`, 405, /use GET or DELETE/),
  at('google', PATHS.google, 405, /use POST/, 'GET'),
  at('google', `${G}/v1beta/models/a:generateContent`, 405, /use POST/, 'GET'),
  at('openai', PATHS.openai, 405, /use POST/, 'GET'),
  at('openai', `${O}/v1/models/x`, 405, /use GET/, 'DELETE'),
];

/** Addresses at which there is nothing. */
const NOWHERE: readonly BadRequest[] = [
  own('POST', '/api/proxy/', 404, /There is no provider ""/),
  own('POST', '/api/proxy/unknown', 404, /no provider "unknown" here. Known: anthropic/),
  own('POST', '/api/proxy/Anthropic/v1/messages', 404, /no provider/),
  own('POST', '/api/proxy/__proto__/v1/messages', 404, /no provider/),
  own('POST', '/api/proxy/limits', 404, /no provider/),
  own('POST', '/api/proxy//anthropic/v1/messages', 404, /no provider/),
  own('POST', '/api/proxy/../mcp/usage/summary', 404, /no provider/),
  own('POST', '/api/proxy/%61nthropic/v1/messages', 404, /no provider/),
  own('POST', '/api/proxy/anthropic%2fv1%2fmessages', 404, /no provider/),
  own('POST', '/api/proxy/anthropic;/v1/messages', 404, /no provider/),
  own('POST', '/api/proxy/{{anthropic}}/v1/messages', 400, /holds a secret/),
  own('POST', `/api/proxy/${'x'.repeat(3_000)}`, 404, /no provider/),
  own('POST', '/api/proxy', 404),
  own('POST', '/API/proxy/anthropic/v1/messages', 404),
  own('POST', '//api/proxy/anthropic/v1/messages', 404),
  own('POST', '/api//proxy/anthropic/v1/messages', 404),
  own('POST', '/./api/proxy/anthropic/v1/messages', 404),
  own('POST', '/api/mcp/../proxy/anthropic/v1/messages', 404),
  own('POST', '/api/mcp/%2e%2e/proxy/anthropic/v1/messages', 404),
  own('POST', '/v1/messages', 404),
  own('GET', '/api', 404),
  own('GET', '/api/mcp', 404),
  own('GET', '/api/manage/%2e%2e%2fkeys', 404),
  own('GET', '/api/mcp/usage/summary/', 404),
  own('GET', '/api/mcp/usage//summary', 404),
  own('GET', '/api/mcp/usage/summary%00', 404),
  own('GET', '/api\\mcp\\usage\\summary', 400, /not well-formed/, 'bare'),
  own('GET', '/%', 404),
  own('GET', '/%c0%ae%c0%ae/etc/passwd', 404),
  own('GET', '/../../etc/passwd', 404),
  own('GET', '/.env', 404),
  own('GET', '/healthz/', 404),
  own('GET', '/healthz%00', 404),
  own('GET', '/readyz?x', 404),
  own('GET', '/metrics/x', 404),
  own('GET', `/${'a'.repeat(20_000)}`, 404),
  own('GET', '/api/mcp/{{admin}}', 404),
  own('PUT', '/api/mcp/usage/summary', 405),
  own('PROPFIND', '/api/manage/keys', 405),
  own('TRACE', '/api/manage/keys', 405),
];

export const BAD_PATHS: readonly BadRequest[] = [...TRICKS, ...UNSERVED, ...METHODS, ...NOWHERE];
