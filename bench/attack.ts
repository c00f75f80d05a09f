// A client that takes all it can get, in a process of its own. It comes from another loopback address than the load.
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, constants } from 'node:zlib';
import { answerParent } from './child.ts';

export const ATTACKS = ['bodies', 'headers', 'streams', 'bombs', 'refusals'] as const;
export type AttackKind = (typeof ATTACKS)[number];

export interface Attack {
  readonly kind: AttackKind;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How it went, from the start of the attack to its end. */
export interface AttackResult {
  /** Connections that were held open at the end, or requests sent by then for attacks that repeat themselves. */
  readonly held: number;
  /** Answers by status. */
  readonly answers: Readonly<Record<string, number>>;
}

const FROM = '127.0.0.2';
const COUNTS = { bodies: 8, headers: 11_000, streams: 1_000, bombs: 20, refusals: 30 } as const satisfies Record<
  AttackKind,
  number
>;
/** Requests that one connection sends without waiting for an answer, each in a new session. */
const PIPELINED = 30;
const BODY_BYTES = 32 * 1_048_576;
/** So many connections are opened a millisecond. */
const PER_MS = 4;
const BOMB_BYTES = 1_073_741_824;
/** The attack ends itself, whatever became of the parent. */
const LASTS_MS_MAX = 60_000;

class Running {
  readonly #attack: Attack;
  readonly #open = new Set<Socket>();
  readonly #answers = new Map<string, number>();
  #isOver = false;
  readonly #bomb: Buffer;
  /** Sessions named so far. */
  #sessions = 0;

  constructor(attack: Attack, bomb: Buffer) {
    this.#attack = attack;
    this.#bomb = bomb;
  }

  /** Resolves when everything that it opens has been begun. */
  async start(): Promise<void> {
    setTimeout(() => this.stop(), LASTS_MS_MAX).unref();
    for (let index = 0; index < COUNTS[this.#attack.kind] && !this.#isOver; index += 1) {
      this.#begin();
      if (index % PER_MS === PER_MS - 1) await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  stop(): AttackResult {
    this.#isOver = true;
    const held = this.#open.size;
    for (const socket of this.#open) socket.destroy();
    return { held, answers: Object.fromEntries(this.#answers) };
  }

  #begin(): void {
    const socket = connect({ port: this.#attack.port, host: '127.0.0.1', localAddress: FROM });
    this.#open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#open.delete(socket));
    if (this.#attack.kind === 'refusals') this.#countResponses(socket);
    else socket.on('data', (piece: Buffer) => this.#onResponse(socket, piece));
    socket.once('connect', () => this.#send(socket));
  }

  #onResponse(socket: Socket, piece: Buffer): void {
    const status = /^HTTP\/1\.1 (\d+)/.exec(piece.toString('latin1', 0, 16))?.[1];
    if (!status) return;
    this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1);
    if (this.#attack.kind === 'bombs' && !this.#isOver) this.#send(socket);
  }

  /** Counts responses that may share a piece, or begin in one and end in the next. Sends more when all have arrived. */
  #countResponses(socket: Socket): void {
    let [seen, tail] = [0, ''];
    socket.on('data', (piece: Buffer) => {
      const text = tail + piece.toString('latin1');
      let end = 0;
      for (const { 0: line, 1: status = '', index } of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
        end = index + line.length;
        seen += 1;
        this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1);
      }
      tail = text.slice(Math.max(end, text.length - STATUS_LINE.length));
      if (seen < PIPELINED || this.#isOver) return;
      seen -= PIPELINED;
      this.#send(socket);
    });
  }

  #send(socket: Socket): void {
    switch (this.#attack.kind) {
      case 'headers':
        return void socket.write(`POST ${this.#attack.path} HTTP/1.1\r\nhost: x\r\n`);
      case 'streams':
        return void socket.write(this.#request(ENDLESS, []));
      case 'bodies':
        socket.write(this.#head([`content-length: ${BODY_BYTES}`]));
        return void socket.write(Buffer.alloc(BODY_BYTES - 4_096, ' '));
      case 'bombs':
        socket.write(this.#head(['content-encoding: br', `content-length: ${this.#bomb.length}`]));
        return void socket.write(this.#bomb);
      case 'refusals':
        return void socket.write(Array.from({ length: PIPELINED }, () => this.#inNewSession()).join(''));
    }
  }

  #inNewSession(): string {
    this.#sessions += 1;
    return this.#request(REFUSED, [`x-svc-session: ${process.pid}-${this.#sessions}`]);
  }

  #request(body: string, lines: readonly string[]): string {
    return this.#head([...lines, `content-length: ${Buffer.byteLength(body)}`]) + body;
  }

  #head(lines: readonly string[]): string {
    const { path, headers } = this.#attack;
    const own = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return `${[`POST ${path} HTTP/1.1`, 'host: x', ...own, ...lines].join('\r\n')}\r\n\r\n`;
  }
}

const STATUS_LINE = 'HTTP/1.1 200';
/** Its maximum cost is above the limit of its key. */
const REFUSED = JSON.stringify({
  model: 'claude-sonnet-4-5',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'Hello' }],
});
const ENDLESS = JSON.stringify({
  model: 'claude-sonnet-4-5',
  max_tokens: 1_000,
  stream: true,
  metadata: { user_id: 'endless' },
  messages: [{ role: 'user', content: 'Hello' }],
});

if (process.send) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const bomb = brotliCompressSync(Buffer.alloc(BOMB_BYTES, ' '), { params });
  let running: Running | null = null;
  answerParent(async (ask: Attack | 'stop') => {
    if (ask === 'stop') return running?.stop();
    running = new Running(ask, bomb);
    await running.start();
    return bomb.length;
  });
}
