import { BODIES, PATHS, type BadRequest } from './bad-request.ts';

const BODY = BODIES.anthropic;
const KEY = 'x-api-key: {{anthropic}}';
const START = `POST ${PATHS.anthropic} HTTP/1.1`;
const LENGTH = `content-length: ${BODY.length}`;

function raw(name: string, bytes: string, rest: Partial<BadRequest> = {}): BadRequest {
  return { name, raw: bytes, status: 400, shape: 'bare', says: /not a well-formed HTTP request/, ...rest };
}

/** A request whose headers are these lines, good in all else. */
function lines(name: string, headers: readonly string[], rest: Partial<BadRequest> = {}): BadRequest {
  return raw(name, `${[START, 'host: x', KEY, ...headers].join('\r\n')}\r\n\r\n${BODY}`, rest);
}

const CHUNKED = 'transfer-encoding: chunked';
const chunks = (name: string, body: string): BadRequest =>
  raw(name, `${[START, 'host: x', KEY, CHUNKED].join('\r\n')}\r\n\r\n${body}`);
const inChunks = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;

/** Bytes that two HTTP readers could take for two different things, or that are no HTTP at all. */
export const WIRE: readonly BadRequest[] = [
  lines('a length and chunks', [LENGTH, CHUNKED]),
  lines('chunks and a length', [CHUNKED, LENGTH]),
  lines('two lengths', [LENGTH, 'content-length: 1']),
  lines('the same length twice', [LENGTH, LENGTH]),
  lines('a list of lengths', [`content-length: ${BODY.length}, ${BODY.length}`]),
  lines('a signed length', [`content-length: +${BODY.length}`]),
  lines('a negative length', ['content-length: -1']),
  lines('a hexadecimal length', [`content-length: 0x${BODY.length.toString(16)}`]),
  lines('a length that is none', ['content-length: abc']),
  lines('an empty length', ['content-length:']),
  lines('a length beyond all numbers', ['content-length: 99999999999999999999999']),
  lines('chunks twice', [CHUNKED, CHUNKED]),
  lines('chunks before something else', ['transfer-encoding: chunked, identity']),
  lines('chunks by another name', ['transfer-encoding: xchunked']),
  lines('a transfer encoding that is none', ['transfer-encoding: identity']),
  lines('chunks behind a vertical tab', ['transfer-encoding: \x0bchunked']),
  lines('a space before the colon', ['transfer-encoding : chunked']),
  lines('a folded header', ['x-a: b', ' folded', LENGTH]),
  lines('a folded transfer encoding', ['transfer-encoding:', ' chunked']),
  lines('a header without a colon', ['nonsense', LENGTH]),
  lines('a header without a name', [': x', LENGTH]),
  lines('a name with a space', ['x a: b', LENGTH]),
  lines('a name beyond ASCII', ['x-\u00e9: b', LENGTH]),
  lines('a NUL in a value', ['x-a: b\0c', LENGTH]),
  lines('a carriage return in a value', ['x-a: b\rc', LENGTH]),
  lines('a line feed in a value', ['x-a: b\nc', LENGTH]),
  lines('a bell in a value', ['x-a: b\x07c', LENGTH]),
  lines('a delete in a value', ['x-a: b\x7fc', LENGTH]),
  lines('33 KB of one header', [`x-a: ${'a'.repeat(33_000)}`, LENGTH], { status: 431, says: /larger than 32 KiB/ }),
  lines('33 KB of many headers', [...Array.from({ length: 3_300 }, (_, at) => `x-${at}: aaaa`), LENGTH], {
    status: 431,
    says: /larger than 32 KiB/,
  }),
  lines('501 short headers', [...Array.from({ length: 498 }, () => 'a: b'), LENGTH], {
    status: 431,
    says: /more than 500/,
  }),
  chunks('a chunk size that is none', `zz\r\n${BODY}\r\n0\r\n\r\n`),
  chunks('a negative chunk', `-1\r\n${BODY}\r\n0\r\n\r\n`),
  chunks('a chunk larger than all numbers', `fffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`),
  chunks('a chunk that is longer than it says', `5\r\n${BODY}\r\n0\r\n\r\n`),
  chunks('chunks without carriage returns', inChunks.replaceAll('\r', '')),
  chunks(
    'an extension of a chunk with a bare carriage return',
    `${BODY.length.toString(16)};a\rb\r\n${BODY}\r\n0\r\n\r\n`,
  ),
  chunks('an endless extension of a chunk', `5;${'a'.repeat(40_000)}\r\n`),
  raw(
    'trailers of 40 KB',
    `${START}\r\nhost: x\r\n${KEY}\r\n${CHUNKED}\r\n\r\n${inChunks.slice(0, -2)}x: ${'a'.repeat(40_000)}\r\n\r\n`,
    {
      status: 431,
      says: /larger than 32 KiB/,
    },
  ),
  raw('lines without carriage returns', `${START}\nhost: x\n${KEY}\n${LENGTH}\n\n${BODY}`),
  raw('a request line with a tab', `POST\t${PATHS.anthropic} HTTP/1.1\r\nhost: x\r\n\r\n`),
  raw('a request line with two spaces in its path', `POST ${PATHS.anthropic} x HTTP/1.1\r\nhost: x\r\n\r\n`),
  raw('a NUL in the path', `POST ${PATHS.anthropic}\0 HTTP/1.1\r\nhost: x\r\n\r\n`),
  raw('a space before the request', ` ${START}\r\nhost: x\r\n\r\n`),
  raw('garbage before the request', `garbage${START}\r\nhost: x\r\n\r\n`),
  raw('garbage alone', '\x00\x01\x02\x03\xff\xfe\r\n\r\n'),
  raw('a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  raw('HTTP/2 from the start', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  raw('HTTP/0.9', `GET ${PATHS.anthropic}\r\n\r\n`, { status: 401, shape: 'anthropic', says: /No wrapped key/ }),
  raw('HTTP/1.2', `POST ${PATHS.anthropic} HTTP/1.2\r\nhost: x\r\n\r\n`),
  raw('HTTP/3', `POST ${PATHS.anthropic} HTTP/3.0\r\nhost: x\r\n\r\n`),
  raw('http in small letters', `POST ${PATHS.anthropic} http/1.1\r\nhost: x\r\n\r\n`),
  raw('another protocol', `POST ${PATHS.anthropic} SIP/2.0\r\nhost: x\r\n\r\n`),
  raw('bytes beyond ASCII in the path', `GET /\u00ff\u0080 HTTP/1.1\r\nhost: localhost\r\n\r\n`),
  raw('a method in small letters', `post ${PATHS.anthropic} HTTP/1.1\r\nhost: x\r\n\r\n`),
  raw('an unknown method', `BREW ${PATHS.anthropic} HTTP/1.1\r\nhost: x\r\n\r\n`),
  raw('no host', `${START}\r\n${KEY}\r\n${LENGTH}\r\nconnection: close\r\n\r\n${BODY}`, { shape: 'empty' }),
  lines('two hosts', ['host: y', LENGTH, 'connection: close'], { shape: 'anthropic', says: /several Host headers/ }),
  lines('the same host twice', ['Host: x', LENGTH, 'connection: close'], {
    shape: 'anthropic',
    says: /several Host headers/,
  }),
  lines('a second host without a name', ['host:', LENGTH, 'connection: close'], {
    shape: 'anthropic',
    says: /several Host headers/,
  }),
  raw('two hosts at OpenAI', `GET ${PATHS.openai} HTTP/1.0\r\nhost: x\r\nhost: y\r\n\r\n`, {
    shape: 'openai',
    says: /several Host headers/,
  }),
  raw('two hosts at no provider', 'GET /api/proxy/nobody HTTP/1.1\r\nhost: x\r\nhost: y\r\nconnection: close\r\n\r\n', {
    shape: 'own',
    says: /several Host headers/,
  }),
  raw(
    'two hosts at the API',
    'GET /api/mcp/usage/summary HTTP/1.1\r\nhost: x\r\nhost: y\r\nconnection: close\r\n\r\n',
    {
      says: /several Host headers/,
    },
  ),
  raw('two hosts at a probe', 'GET /healthz HTTP/1.0\r\nhost: x\r\nhost: y\r\n\r\n', { says: /several Host headers/ }),
  lines('an expectation that nobody meets', ['expect: 200-ok', 'connection: close', LENGTH], {
    status: 417,
    shape: 'empty',
  }),
  raw('a body that ends before its length', `${START}\r\nhost: x\r\n${KEY}\r\ncontent-length: 5000\r\n\r\n${BODY}`, {
    halfClose: true,
  }),
  raw('headers that end in the middle', `${START}\r\nhost: x\r\nx-api-k`, { halfClose: true }),
  raw('chunks that end in the middle', `${START}\r\nhost: x\r\n${KEY}\r\n${CHUNKED}\r\n\r\n5\r\n{"mod`, {
    halfClose: true,
  }),
  lines('a body longer than its length', [`content-length: ${BODY.length - 1}`, 'connection: close'], {
    says: /not a well-formed/,
  }),
  lines('compressed chunks that are not', ['transfer-encoding: gzip, chunked', 'connection: close'], {}),
  raw(
    'an absolute address',
    `POST http://localhost${PATHS.anthropic} HTTP/1.1\r\nhost: localhost\r\n${KEY}\r\n${LENGTH}\r\nconnection: close\r\n\r\n${BODY}`,
    { status: 404, shape: 'own', says: /There is nothing at/ },
  ),
  raw(
    "an absolute address of the provider's",
    `POST https://api.anthropic.com/v1/messages HTTP/1.1\r\nhost: localhost\r\n${KEY}\r\n${LENGTH}\r\nconnection: close\r\n\r\n${BODY}`,
    { status: 404, shape: 'own', says: /There is nothing at/ },
  ),
  raw('OPTIONS *', 'OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n', {
    says: /path of this request is not well-formed/,
  }),
  raw('CONNECT', 'CONNECT api.anthropic.com:443 HTTP/1.1\r\nhost: api.anthropic.com:443\r\n\r\n', {
    status: 405,
    says: /opens no tunnels/,
  }),
  raw('a path without a slash', `POST api/proxy/anthropic HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
  raw('an upgrade to a websocket without a key', websocket(PATHS.anthropic), {
    status: 401,
    shape: 'anthropic',
    says: /No wrapped key/,
  }),
  raw('an upgrade to a websocket at OpenAI', websocket('/api/proxy/openai/v1/realtime', 'x-api-key: {{openai}}\r\n'), {
    status: 404,
    shape: 'openai',
    says: /^Realtime calls are not supported/,
  }),
  raw('an upgrade to a websocket at the API', websocket('/api/mcp/usage/summary'), {
    status: 401,
    shape: 'own',
    says: /access token/,
  }),
  raw(
    'an upgrade to HTTP/2',
    'GET /api/mcp/usage/summary HTTP/1.1\r\nhost: localhost\r\nconnection: close, upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n\r\n',
    { status: 401, shape: 'own', says: /access token/ },
  ),
  raw('a host that is none', 'GET /api/mcp/usage/summary HTTP/1.1\r\nhost: a b/c\\d\r\nconnection: close\r\n\r\n', {
    says: /host of this request is not well-formed/,
  }),
  raw(
    'a second, smuggled request',
    `${START}\r\nhost: x\r\n${KEY}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}${START}\r\nhost: x\r\n${KEY}\r\n${LENGTH}\r\n\r\n${BODY}`,
    {
      says: /not a well-formed/,
    },
  ),
];

function websocket(path: string, more = ''): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${more}connection: Upgrade, close\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
}
