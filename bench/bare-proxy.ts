// The floor: the shortest proxy Node and undici allow. It knows no keys, reads nothing and books nothing.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { Pool } from 'undici';

const [port, upstreamPort] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { connections: 256 });

createServer((request, response) => {
  const { method = 'GET', url: path = '/', headers } = request;
  const body = method === 'GET' ? null : request;
  const call = { method, path, headers: endToEnd(headers), body, opaque: response };
  pool
    .stream(call, (answer) => {
      response.writeHead(answer.statusCode, endToEnd(answer.headers));
      return response;
    })
    .catch((error: unknown) => response.destroy(error as Error));
}).listen(port, '127.0.0.1');

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept: IncomingHttpHeaders = {};
  for (const name in headers) {
    if (name === 'host' || name === 'connection' || name === 'keep-alive' || name === 'transfer-encoding') continue;
    kept[name] = headers[name];
  }
  return kept;
}
