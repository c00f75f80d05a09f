// The provider of the benchmark: answers every request with the same bytes, as cheaply as Node can.
import { createServer, type Socket } from 'node:net';
import { anthropicEvents, anthropicMessage, anthropicModels } from '../src/demo/answers/anthropic.ts';
import type { ResponseFacts } from '../src/demo/answers/facts.ts';
import { readMessages } from './raw-http.ts';

/** With the events around them a stream has 20 events. */
const STREAM_PIECES = 14;

const facts: ResponseFacts = {
  id: '01benchbenchbench',
  model: 'claude-sonnet-4-5',
  pieces: Array.from({ length: STREAM_PIECES }, () => 'ten bytes '),
  tool: null,
  tokens: { input: 250, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 40, thinking: 0 },
  reportsUsage: true,
  searches: 0,
  tier: null,
  usageFields: {},
};
const HEAD = 'HTTP/1.1 200 OK\r\nrequest-id: req_bench\r\nconnection: keep-alive\r\n';
const answer = whole(JSON.stringify(anthropicMessage(facts)));
const models = whole(JSON.stringify(anthropicModels([facts.model])));
const streamHead = Buffer.from(`${HEAD}content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`);
/** A request with these bytes gets the first events of a stream, and then silence. */
const HELD_STREAM = '"user_id":"held"';
const heldStream = Buffer.concat([streamHead, ...anthropicEvents(facts).slice(0, 4).map(chunk)]);
/** A request with these bytes gets the same, and then a comment every 200 ms for as long as it listens. */
const ENDLESS_STREAM = '"user_id":"endless"';
const COMMENT = chunk(': still working\n\n');
const COMMENT_MS = 200;
const COMMENT_TURNS = 20;
/** Streams that get their comment in the same turn: they are spread over the time between two comments. */
const endless = Array.from({ length: COMMENT_TURNS }, () => new Set<Socket>());
let turn = 0;
setInterval(() => {
  turn = (turn + 1) % COMMENT_TURNS;
  for (const socket of endless[turn] ?? []) socket.write(COMMENT);
}, COMMENT_MS / COMMENT_TURNS);

const streamPieces = [...anthropicEvents(facts).map(chunk), Buffer.from('0\r\n\r\n')];

createServer((socket) => {
  readMessages(socket, (head, lastPiece) => {
    if (head.startsWith('get ')) socket.write(models);
    else if (lastPiece.includes(HELD_STREAM)) socket.write(heldStream);
    else if (lastPiece.includes(ENDLESS_STREAM)) beginEndless(socket);
    else if (lastPiece.includes('"stream":true')) writeStream(socket);
    else socket.write(answer);
  });
  socket.on('error', () => socket.destroy());
}).listen(Number(process.argv[2]), '127.0.0.1');

function beginEndless(socket: Socket): void {
  const group = endless.toSorted((a, b) => a.size - b.size)[0];
  group?.add(socket);
  socket.once('close', () => group?.delete(socket));
  socket.write(heldStream);
}

/** Each event in a turn of its own, as a real provider's events come apart. */
function writeStream(socket: Socket): void {
  let next = 0;
  socket.write(streamHead);
  const step = () => {
    const piece = streamPieces[next++];
    if (!piece || socket.destroyed) return;
    socket.write(piece);
    setImmediate(step);
  };
  setImmediate(step);
}

function whole(body: string): Buffer {
  return Buffer.from(
    `${HEAD}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function chunk(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}
