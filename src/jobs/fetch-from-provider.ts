import type { GatewayKey } from '../domain/identity/wrapped-key.ts';
import type { Provider } from '../providers/provider.ts';

/** A request of a job to a provider, with the provider key of a call. */
export interface ProviderQuestion {
  readonly provider: Provider;
  readonly key: Pick<GatewayKey, 'providerKey'>;
  /** Path below the provider's `url`. */
  readonly path: string;
  readonly msMax: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Asks a provider with GET. */
export async function fetchFromProvider(question: ProviderQuestion): Promise<Response> {
  const { provider, key, path, msMax, now, signal } = question;
  const headers: Record<string, string> = { ...provider.defaultHeaders, accept: 'application/json' };
  provider.authorize(headers, key.providerKey);
  const url = new URL(`${provider.url}${path}`);
  provider.sign?.({ method: 'GET', origin: url.origin, path: url.pathname, headers, body: null }, key.providerKey, now);
  return await fetch(url, {
    headers,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(msMax)]),
  });
}

/** Returns the text of an answer; null = it is too large. Its length is known only after it was read, and unpacked. */
export async function readAnswerText(answer: Response, bytesMax: number): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | null = answer.body;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > bytesMax) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
