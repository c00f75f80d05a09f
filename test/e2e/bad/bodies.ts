import { deflateSync, gzipSync } from 'node:zlib';
import { BODIES, PATHS, type BadRequest } from './bad-request.ts';

type Caller = keyof typeof PATHS;
const SHAPES = {
  anthropic: 'anthropic',
  google: 'google',
  openai: 'openai',
  responses: 'openai',
  embeddings: 'openai',
} as const;
const MIB = 1_048_576;

/** A body that is refused before anything is sent. */
function body(to: Caller, name: string, bytes: string | (() => Uint8Array), says: RegExp, status = 400) {
  const shape = SHAPES[to];
  const headers = { authorization: `Bearer {{${shape}}}`, 'content-type': 'application/json' };
  return { name: `${to}: ${name}`, path: PATHS[to], headers, body: bytes, status, shape, says } satisfies BadRequest;
}

function encoded(name: string, encoding: string, bytes: () => Uint8Array, status: number, says: RegExp): BadRequest {
  const refused = body('anthropic', name, bytes, says, status);
  return { ...refused, headers: { ...refused.headers, 'content-encoding': encoding } };
}

const nested = (open: string, close: string, depth: number) =>
  `{"model":"m","x":${open.repeat(depth)}1${close.repeat(depth)}}`;

/** Refused in the same way wherever a body is read. */
function everywhere(to: Caller): BadRequest[] {
  return [
    body(to, 'an empty body', '', /is empty/),
    body(to, 'only spaces', '  \r\n ', /cut off/),
    body(to, 'not JSON', 'model=gpt-4o', /must be a JSON object|not valid JSON/),
    body(to, 'an array', `[${BODIES[to]}]`, /must be a JSON object/),
    body(to, 'a text', '"model"', /must be a JSON object/),
    body(to, 'null', 'null', /must be a JSON object/),
    body(to, 'a byte order mark', `\uFEFF${BODIES[to]}`, /byte order mark/),
    body(to, 'UTF-16', () => Buffer.from(`\uFEFF${BODIES[to]}`, 'utf16le'), /UTF-8/),
    body(to, 'cut off', BODIES[to].slice(0, -1), /cut off/),
    body(to, 'two documents', BODIES[to] + BODIES[to], /goes on after its end/),
    body(to, 'a NUL at the end', `${BODIES[to]}\0`, /goes on after its end/),
    body(to, 'invalid UTF-8', () => Buffer.from('{"model":"m\xff","x":1}', 'latin1'), /not valid UTF-8/),
    body(to, 'half a surrogate in bytes', () => Buffer.from('{"model":"m\xed\xa0\x80"}', 'latin1'), /not valid UTF-8/),
    body(to, 'a comma too many', '{"model":"m",}', /not valid JSON/),
    body(to, 'single quotes', "{'model':'m'}", /not valid JSON/),
    body(to, 'a comment', '{"model":"m"/* */}', /not valid JSON/),
    body(to, 'NaN', '{"model":"m","temperature":NaN}', /not valid JSON/),
    body(to, 'a leading zero', '{"model":"m","temperature":01}', /not valid JSON/),
    body(to, 'a control character in a text', '{"model":"m\n"}', /control character/),
    body(to, 'a broken escape', '{"model":"m\\x41"}', /broken escape/),
    body(to, 'half a unicode escape', '{"model":"m\\u00"}', /broken escape/),
    body(to, 'the model twice', '{"model":"a","model":"b"}', /"model" twice/),
    body(to, 'the model twice, once escaped', '{"model":"a","mod\\u0065l":"b"}', /"model" twice/),
    body(to, 'the model in capitals too', '{"model":"a","Model":"b"}', /"model" in a way/),
    body(to, 'the model escaped in capitals', '{"\\u004dodel":"b"}', /"model" in a way/),
    body(to, 'no model', '{"messages":[]}', /must contain "model"/),
    body(to, 'an empty model', '{"model":""}', /must contain "model"/),
    body(to, 'a number for a model', '{"model":4}', /must contain "model"/),
    body(to, 'a list for a model', '{"model":["m"]}', /must contain "model"/),
    body(to, 'null for a model', '{"model":null}', /must contain "model"/),
    body(to, 'a model within something else', '{"x":{"model":"m"}}', /must contain "model"/),
    body(to, 'a model with a line break', '{"model":"m\\r\\nx-a: b"}', /plain characters/),
    body(to, 'a model beyond ASCII', '{"model":"ｇpt-4o"}', /plain characters/),
    body(to, 'a model of 300 letters', `{"model":"${'m'.repeat(300)}"}`, /at most 256/),
    body(to, 'a model of 5,000 letters', `{"model":"${'m'.repeat(5_000)}"}`, /"model"/),
    body(to, 'a wrapped key for a model', '{"model":"{{anthropic}}"}', /secret/),
    body(to, 'arrays 300 deep', nested('[', ']', 300), /nests deeper/),
    body(to, 'objects 300 deep', nested('{"a":', '}', 300), /nests deeper/),
    body(to, 'arrays 200,000 deep, never closed', `{"model":"m","x":${'['.repeat(200_000)}`, /nests deeper/),
  ];
}

export const BAD_BODIES: readonly BadRequest[] = [
  ...everywhere('anthropic'),
  ...everywhere('google'),
  ...everywhere('openai'),
  ...everywhere('responses').slice(20, 30),
  ...everywhere('embeddings').slice(20, 30),
  body('anthropic', 'max_tokens twice', '{"model":"m","max_tokens":1,"max_tokens":100000}', /"max_tokens" twice/),
  body(
    'anthropic',
    'max_tokens twice, escaped',
    '{"model":"m","max_tokens":1,"max\\u005ftokens":9}',
    /"max_tokens" twice/,
  ),
  body('anthropic', 'maxTokens', '{"model":"m","max_tokens":1,"maxTokens":9}', /"max_tokens" in a way/),
  body('anthropic', 'stream twice', '{"model":"m","stream":false,"stream":true}', /"stream" twice/),
  body(
    'anthropic',
    'a service tier in two spellings',
    '{"model":"m","service_tier":"a","Service_Tier":"b"}',
    /service_tier/,
  ),
  body('google', 'both spellings of a config', '{"model":"m","generationConfig":{},"generation_config":{}}', /twice/),
  body(
    'google',
    'both spellings of a maximum',
    '{"model":"m","generationConfig":{"maxOutputTokens":1,"max_output_tokens":9}}',
    /twice/,
  ),
  body('google', 'a third spelling of a maximum', '{"model":"m","generationConfig":{"MaxOutputTokens":9}}', /in a way/),
  body('google', 'a path for a model', '{"model":"../../v1/files"}', /is not a valid model name/),
  body('google', 'an escaped path for a model', '{"model":"..\\u002f..\\u002ffiles"}', /is not a valid model name/),
  body('google', 'an encoded path for a model', '{"model":"..%2f..%2ffiles"}', /is not a valid model name/),
  body(
    'google',
    'a query for a model',
    '{"model":"gemini-2.5-flash:generateContent?x=1"}',
    /is not a valid model name/,
  ),
  body(
    'google',
    'another action for a model',
    '{"model":"gemini-2.5-flash:predictLongRunning"}',
    /is not a valid model name/,
  ),
  body('google', 'a fragment for a model', '{"model":"gemini-2.5-flash#"}', /is not a valid model name/),
  body('google', 'a backslash for a model', '{"model":"a\\\\b"}', /is not a valid model name/),
  body('google', 'dots for a model', '{"model":".."}', /is not a valid model name/),
  body('google', 'models/ twice', '{"model":"models/models/gemini-2.5-flash"}', /is not a valid model name/),
  body('google', 'a tuned model', '{"model":"tunedModels/abc"}', /is not a valid model name/),
  body(
    'openai',
    'stream_options twice',
    '{"model":"m","stream":true,"stream_options":{},"stream_options":{}}',
    /twice/,
  ),
  body('openai', 'n twice', '{"model":"m","n":1,"n":100}', /"n" twice/),
  body('openai', 'web search', '{"model":"m","web_search_options":{}}', /"web_search_options" is not supported/),
  body('openai', 'search parameters', '{"model":"m","search_parameters":{"mode":"on"}}', /is not supported/),
  body('openai', 'plugins', '{"model":"m","plugins":[{"id":"web"}]}', /is not supported/),
];

function wrongChecksum(): Uint8Array {
  const bytes = gzipSync(SMALL);
  return bytes.fill(0, bytes.length - 8, bytes.length - 4);
}

const SMALL = Buffer.from(BODIES.anthropic);
const big = (bytes: number) => () =>
  Buffer.concat([Buffer.from('{"model":"m","x":"'), Buffer.alloc(bytes, 'x'), Buffer.from('"}')]);

/** Bodies that are too large, or not what their encoding says. */
export const ENCODINGS: readonly BadRequest[] = [
  body('anthropic', '33 MiB', big(33 * MIB), /larger than 32 MiB/, 413),
  body('google', '33 MiB', big(33 * MIB), /larger than 32 MiB/, 413),
  body('openai', '33 MiB', big(33 * MIB), /larger than 32 MiB/, 413),
  encoded('a gzip bomb', 'gzip', () => gzipSync(big(64 * MIB)()), 413, /larger than 32 MiB/),
  encoded('a deflate bomb', 'deflate', () => deflateSync(Buffer.alloc(64 * MIB)), 413, /larger than 32 MiB/),
  encoded('plain bytes called gzip', 'gzip', () => SMALL, 400, /does not decode/),
  encoded('plain bytes called deflate', 'deflate', () => SMALL, 400, /does not decode/),
  encoded('plain bytes called br', 'br', () => SMALL, 400, /does not decode/),
  encoded('plain bytes called zstd', 'zstd', () => SMALL, 400, /does not decode/),
  encoded('gzip that is cut off', 'gzip', () => gzipSync(SMALL).subarray(0, 40), 400, /does not decode/),
  encoded('gzip with a wrong checksum', 'gzip', wrongChecksum, 400, /does not decode/),
  encoded('gzip twice under one name', 'gzip', () => gzipSync(gzipSync(SMALL)), 400, /UTF-8|JSON/),
  encoded('two encodings', 'gzip, gzip', () => gzipSync(gzipSync(SMALL)), 415, /Content-Encoding "gzip, gzip"/),
  encoded('an unknown encoding', 'compress', () => SMALL, 415, /Content-Encoding "compress"/),
  encoded('the name of an inherited member', 'constructor', () => SMALL, 415, /Content-Encoding/),
  encoded('an encoding with a parameter', 'gzip;q=1', () => gzipSync(SMALL), 415, /Content-Encoding/),
  encoded('a long encoding', 'x'.repeat(5_000), () => SMALL, 415, /Content-Encoding/),
  encoded('an empty gzip', 'gzip', () => gzipSync(''), 400, /is empty/),
];
