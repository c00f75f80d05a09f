import { setImmediate } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import type { DrawnCall } from './drawn-call.ts';

/** What the client had of its answer. */
export interface Received {
  /** 0 = no answer came. */
  readonly status: number;
  /** The answer came to its end. */
  readonly whole: boolean;
  readonly callId: string | null;
  /** The gate's word on the cost. */
  readonly costUsd: string | null;
}

/** Makes a call as its client would, and goes away when the call says so. */
export async function sendCall(
  baseUrl: string,
  key: string,
  call: DrawnCall,
  dispatcher: Dispatcher,
): Promise<Received> {
  const leaving = new AbortController();
  const { leaves } = call;
  if (leaves && 'turns' in leaves) void leaveAfter(leaves.turns, leaving);
  let received: Received = { status: 0, whole: false, callId: null, costUsd: null };
  try {
    const { statusCode, headers, body } = await request(addressOf(baseUrl, key, call), {
      method: 'POST',
      headers: { ...call.headers, ...keyHeader(key, call) },
      body: call.body,
      signal: leaving.signal,
      dispatcher,
    });
    const header = (name: string) => (typeof headers[name] === 'string' ? headers[name] : null);
    received = { ...received, status: statusCode, callId: header('x-svc-call-id'), costUsd: header('x-svc-cost-usd') };
    let bytes = 0;
    for await (const piece of body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (leaves && 'bytes' in leaves && bytes >= leaves.bytes) leaving.abort();
    }
    return { ...received, whole: true };
  } catch {
    // The client left, or the answer broke off: which of them is for the book to say.
    return received;
  }
}

async function leaveAfter(turns: number, leaving: AbortController): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await setImmediate();
  leaving.abort();
}

function addressOf(baseUrl: string, key: string, { provider, path, keyPlace }: DrawnCall): string {
  const query = keyPlace === 'query' ? `${path.includes('?') ? '&' : '?'}key=${key}` : '';
  return `${baseUrl}/api/proxy/${provider}${path}${query}`;
}

function keyHeader(key: string, { keyPlace }: DrawnCall): Record<string, string> {
  if (keyPlace === 'query') return {};
  return keyPlace === 'bearer' ? { authorization: `Bearer ${key}` } : { [keyPlace]: key };
}
