import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Plan } from '../doubles/plan.ts';
import { eventually } from '../service.ts';
import type { Limited, TestKey } from './limited.ts';

export const SOCKET_MODEL = 'gpt-5-mini';

export interface Message {
  readonly type: string;
  readonly status?: number;
  readonly stream_id?: string;
  readonly error?: { readonly code: string; readonly type: string; readonly message: string };
  readonly response?: { readonly id: string };
}

/** A client of the Responses API over WebSocket, which keeps what it gets. */
export class SocketClient {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];

  constructor({ service }: Pick<Limited, 'service'>, key: string) {
    const url = `${service.baseUrl.replace('http', 'ws')}/api/proxy/openai/v1/responses`;
    this.socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
    this.socket.on('message', (data: Buffer) => this.messages.push(JSON.parse(data.toString()) as Message));
    this.socket.on('error', () => {});
  }

  static async open(limited: Pick<Limited, 'service'>, key: string): Promise<SocketClient> {
    const client = new SocketClient(limited, key);
    await once(client.socket, 'open');
    return client;
  }

  create(plan: Plan, fields: object = {}): void {
    const metadata = { plan: JSON.stringify(plan) };
    this.socket.send(
      JSON.stringify({
        type: 'response.create',
        model: SOCKET_MODEL,
        max_output_tokens: 100,
        input: 'Hi',
        metadata,
        ...fields,
      }),
    );
  }

  /** The messages once so many responses have ended or were refused. */
  async ends(count: number): Promise<Message[]> {
    const isEnd = ({ type }: Message): boolean => type === 'response.completed' || type === 'error';
    await eventually(
      () => Promise.resolve(this.messages.filter(isEnd).length),
      (ends) => ends >= count,
    );
    return this.messages.filter(isEnd);
  }
}

let names = 0;
/** Makes a key with a limit of its own. */
export async function limitedKey(limited: Limited, amount: number, unit = 'usd'): Promise<TestKey & { limit: string }> {
  const round = `round-${(names += 1)}`;
  const key = await limited.createKey('openai', { round });
  await limited.manage('PUT', `/policies/${key.id}`, { whenOverLimit: 'refuse' });
  const scope = { kind: 'tag', key: 'round', value: round };
  const { id } = await limited.limit({ scope, unit, amount, window: 'total' });
  return { ...key, limit: id };
}
