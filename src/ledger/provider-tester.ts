import { createHmac, randomBytes } from 'node:crypto';
import { LIMITS } from '../config.ts';
import type { ProviderTester, TestAnswer } from '../api/provider-test.ts';
import { SECRET_PREFIX } from '../domain/identity/secret.ts';
import { hideSecrets } from '../lib/crypto/hide-secrets.ts';
import type { Provider } from '../providers/provider.ts';
import { buildTestCall } from '../providers/test-call.ts';
import { networkReason } from './network-reason.ts';

/** Part of an answer that is read for its message. */
const ANSWER_BYTES_MAX = 65_536;
const MESSAGE_CHARS_MAX = 500;

/** Sends test calls to the gateway of this process, by its address on this machine. */
export function createProviderTester({ host, port }: { readonly host: string; readonly port: number }): ProviderTester {
  // One secret for each key as long as this process runs: what the gateway keeps is bounded by the keys.
  const seed = randomBytes(32);
  const origin = `http://${ownHost(host)}:${port}`;
  return {
    secretForKey: (keyId) => `${SECRET_PREFIX}${createHmac('sha256', seed).update(keyId).digest('hex')}`,
    send: (provider, model, secret) => sendTestCall(origin, provider, model, secret),
  };
}

/** Returns the host at which a process reaches what listens on all addresses. */
function ownHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

async function sendTestCall(origin: string, provider: Provider, model: string, secret: string): Promise<TestAnswer> {
  const { path, body } = buildTestCall(provider.firstCall, model);
  try {
    const answer = await fetch(`${origin}/api/proxy/${provider.id}${provider.clientPath}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(LIMITS.providerTestMsMax),
    });
    const text = await readStart(answer);
    return {
      callId: answer.headers.get('x-svc-call-id'),
      problem: answer.ok ? null : (findMessage(text) ?? `Status ${answer.status}.`),
    };
  } catch (error) {
    return { callId: null, problem: `The gateway did not answer: ${networkReason(error)}.` };
  }
}

/** Reads the start of an answer and drops the rest. */
async function readStart({ body }: Response): Promise<string> {
  if (!body) return '';
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    length += piece.length;
    if (length > ANSWER_BYTES_MAX) break;
  }
  return Buffer.concat(pieces).subarray(0, ANSWER_BYTES_MAX).toString();
}

/** Finds the sentence of an error in any provider's form; null = none. It may repeat what was sent, so secrets are hidden. */
function findMessage(text: string): string | null {
  const message = hideSecrets(messageIn(text).trim()).slice(0, MESSAGE_CHARS_MAX);
  return message === '' ? null : message;
}

function messageIn(text: string): string {
  try {
    const { error, message } = JSON.parse(text) as { error?: { message?: unknown } | string; message?: unknown };
    const found = typeof error === 'string' ? error : (error?.message ?? message);
    return typeof found === 'string' ? found : text;
  } catch {
    return text;
  }
}
