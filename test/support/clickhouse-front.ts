/**
 * Serves ClickHouse's own engine (`chdb`, which is the engine as a library) through ClickHouse's HTTP interface, so that
 * tests use the ordinary client. Runs in a process of its own: the engine is large, and answers one query at a time.
 * Arguments: the folder of the installed package, a folder for the data, and a port; 0 = a free one.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { argv, exit, stdin, stdout } from 'node:process';
import { buffer } from 'node:stream/consumers';

interface ChdbSession {
  query(sql: string, format?: string): string;
  cleanup(): void;
}

const [, , packages = '', data = '', port = '0'] = argv;
const { Session } = createRequire(join(packages, 'package.json'))('chdb') as {
  Session: new (path: string) => ChdbSession;
};
const session = new Session(data);
const PARAMETER = /^param_(\w+)$/;
/** Parameters of the interface that are no settings. */
const OWN = new Set(['query', 'query_id', 'database', 'default_format', 'session_id', 'user', 'password']);
const STATUS_ERROR = 500;
const UNKNOWN_CODE = 0;
/** As ClickHouse itself has it. */
const URL_BYTES_MAX = 1024 ** 2;

const server = createServer({ maxHeaderSize: URL_BYTES_MAX }, (req, res) => {
  if (req.url === '/ping') res.end('Ok.\n');
  else void answerRequest(req, res);
}).listen(Number(port), '127.0.0.1');
await once(server, 'listening');
stdout.write(`${(server.address() as AddressInfo).port}\n`);
// The process that started this one has ended.
stdin.resume().on('end', () => exit());

async function answerRequest(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { searchParams } = new URL(req.url ?? '/', 'http://localhost');
  const body = await buffer(req);
  try {
    for (const statement of settingsOf(searchParams)) session.query(statement);
    const inUrl = searchParams.get('query');
    const sql = inUrl === null ? body.toString() : `${inUrl}\n${body.toString()}`;
    res.end(session.query(sql, 'TabSeparated'));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = /Code: (\d+)/.exec(message)?.[1] ?? UNKNOWN_CODE;
    res.writeHead(STATUS_ERROR, { 'X-ClickHouse-Exception-Code': String(code) }).end(message);
  }
}

/** Database, parameters and settings of one request. The session keeps them, and each request names all that it needs. */
function* settingsOf(given: URLSearchParams): Generator<string> {
  yield `USE ${quoteForSql(given.get('database') ?? 'default', '`')}`;
  for (const [name, value] of given) {
    const parameter = PARAMETER.exec(name)?.[1];
    if (parameter !== undefined || !OWN.has(name)) yield `SET ${name} = ${quoteForSql(value, "'")}`;
  }
}

function quoteForSql(text: string, quote: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replaceAll('\0', '\\0');
  return `${quote}${escaped}${quote}`;
}
