import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A receiver's ways. Those that heal in the end must have got everything. */
type Manner =
  | 'well'
  | 'fails'
  | 'resets'
  | 'stalls'
  | 'throttles'
  | 'cuts'
  | 'dribbles'
  | 'refuses'
  | 'redirects'
  | 'gone';

export function heals(manner: Manner): boolean {
  return manner !== 'gone' && manner !== 'redirects';
}

/** In turn, so that every run has all of them; between them stand well ones. */
const ODD: readonly Manner[] = [
  'fails',
  'resets',
  'stalls',
  'throttles',
  'cuts',
  'dribbles',
  'refuses',
  'redirects',
  'gone',
];
const MANNERS: readonly Manner[] = ODD.flatMap((odd) => ['well', odd]);
/** How often one that is not well shows it; those that keep the sender waiting do it seldom. */
const TROUBLE = 0.01;
const SLOW_TROUBLE = 0.002;
const DRIBBLE_MS = 50;

/** One receiver and what it has taken: how often it said so for each message, and the titles in their order. */
export interface Receiver {
  readonly manner: Manner;
  readonly url: string;
  readonly secret: string;
  readonly taken: Map<string, number>;
  readonly order: string[];
  /** Messages whose signature does not fit. */
  readonly forged: string[];
  close(): void;
}

export async function startReceivers(count: number, random: () => number): Promise<readonly Receiver[]> {
  return await Promise.all(
    Array.from({ length: count }, (_, index) => startOne(MANNERS[index % MANNERS.length] ?? 'well', index, random)),
  );
}

async function startOne(manner: Manner, index: number, random: () => number): Promise<Receiver> {
  const secret = `whsec_${Buffer.from(`secret of receiver ${index}`.padEnd(32, '.')).toString('base64')}`;
  const taken = new Map<string, number>();
  const order: string[] = [];
  const forged: string[] = [];
  const verifier = new Webhook(secret);
  const take = (id: string, title: string): void => {
    if (!taken.has(id)) order.push(title);
    taken.set(id, (taken.get(id) ?? 0) + 1);
  };
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    if (body === null) return;
    const id = String(request.headers['webhook-id']);
    if (!isSigned(verifier, request, body)) forged.push(id);
    const { data } = JSON.parse(body) as { data: { title: string } };
    const share = manner === 'stalls' || manner === 'dribbles' ? SLOW_TROUBLE : TROUBLE;
    const isTrouble = !heals(manner) || random() < share;
    if (manner === 'well' || !isTrouble) {
      // What the process did not live to read was taken all the same.
      take(id, data.title);
      response.end('ok');
    } else misbehave(manner, response);
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { manner, url, secret, taken, order, forged, close };
}

/** null = the sender died in the middle. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  try {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    return Buffer.concat(pieces).toString();
  } catch {
    return null;
  }
}

/** The time of the sender runs faster than the verifier's, so only the signature is looked at. */
function isSigned(verifier: Webhook, { headers }: IncomingMessage, body: string): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  return headers['webhook-signature'] === verifier.sign(String(headers['webhook-id']), at, body);
}

function misbehave(manner: Exclude<Manner, 'well'>, response: ServerResponse): void {
  switch (manner) {
    case 'fails':
      response.writeHead(500).end('no');
      return;
    case 'resets':
      response.socket?.resetAndDestroy();
      return;
    case 'stalls':
      return;
    case 'throttles':
      response.writeHead(429, { 'retry-after': '2' }).end();
      return;
    case 'cuts':
      response.writeHead(200, { 'content-length': '100' }).write('half');
      response.socket?.destroySoon();
      return;
    case 'dribbles':
      response.writeHead(200, { 'content-length': '100000' });
      dribble(response);
      return;
    case 'refuses':
      response.writeHead(422).end('not this one');
      return;
    case 'redirects':
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
      return;
    case 'gone':
      response.writeHead(410).end();
      return;
    default:
      manner satisfies never;
  }
}

/** Never done within the time that an answer may take. */
function dribble(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), DRIBBLE_MS);
  response.on('close', () => clearInterval(timer));
}
