import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** Status line and headers. */
  readonly head: string;
  readonly body: string;
  /** All that came, other answers on the same connection included. */
  readonly text: string;
}

/** Longer than anything here takes: a connection that is still open then is a finding. */
const PATIENCE_MS = 10_000;

/** A longer request asks to keep the connection: a server that closed it at once would cut its own answer off. */
export const LONG_BYTES = 1_048_576;

export async function open(baseUrl: string): Promise<Socket> {
  const { port, hostname } = new URL(baseUrl);
  // It ends its own side only when it wants to.
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}

/** Sends the bytes and reads until the server ends the connection, or has answered a request that is too long for it. */
export async function exchange(baseUrl: string, bytes: Uint8Array, halfClose = false): Promise<RawAnswer> {
  const socket = await open(baseUrl);
  const answer = readAnswer(socket, bytes.length > LONG_BYTES);
  if (halfClose) socket.end(bytes);
  else socket.write(bytes);
  try {
    return await answer;
  } finally {
    socket.destroy();
  }
}

/** What came until the end of the connection; with `onlyFirst`, until the first answer is there. */
export function readAnswer(socket: Socket, onlyFirst = false): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = '';
    const finish = (): void => {
      clearTimeout(patience);
      if (text === '') reject(new Error('The connection was closed without an answer.'));
      else resolve(parse(text));
    };
    const patience = setTimeout(() => reject(new Error(`The connection stays open. So far: ${text}`)), PATIENCE_MS);
    socket.setEncoding('latin1');
    socket.on('data', (piece: string) => {
      text += piece;
      if (onlyFirst && parse(text).whole) finish();
    });
    socket.once('end', finish);
    socket.once('error', (error) => (text === '' ? reject(error) : finish()));
  });
}

function parse(text: string): RawAnswer & { whole: boolean } {
  const split = text.indexOf('\r\n\r\n');
  const head = split < 0 ? text : text.slice(0, split);
  const rest = split < 0 ? '' : text.slice(split + 4);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  const chunked = /^transfer-encoding: *chunked/im.test(head);
  const body = chunked ? joinChunks(rest) : length === undefined ? rest : rest.slice(0, Number(length));
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  return { status, head, body, text, whole: length !== undefined && rest.length >= Number(length) };
}

function joinChunks(text: string): string {
  let at = 0;
  let joined = '';
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    if (lineEnd < 0 || !(size > 0)) return joined;
    joined += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 4 + size;
  }
}
