import type { GatewayKey } from '../domain/identity/wrapped-key.ts';
import type { Provider } from '../providers/provider.ts';

/** A request of a job to a provider, with the provider key of a call. */
export interface ProviderQuestion {
  readonly provider: Provider;
  readonly key: Pick<GatewayKey, 'providerKey'>;
  /** Path below the provider's `url`. */
  readonly path: string;
  /** Headers that choose an account of the provider key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly msMax: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Asks a provider with GET. */
export async function fetchFromProvider(question: ProviderQuestion): Promise<Response> {
  const { provider, key, path, msMax, now, signal } = question;
  const headers: Record<string, string> = {
    ...provider.defaultHeaders,
    ...question.headers,
    accept: 'application/json',
  };
  provider.authorize(headers, key.providerKey);
  const url = new URL(`${provider.url}${path}`);
  provider.sign?.({ method: 'GET', origin: url.origin, path: url.pathname, headers, body: null }, key.providerKey, now);
  return await fetch(url, {
    headers,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(msMax)]),
  });
}

/** A provider refused a question. */
export class ProviderQuestionError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

/** A provider said something that does not settle the call. The message is a sentence. */
export class UnsettledError extends Error {}

/** Says in a sentence why a question failed. */
export function describeQuestionFailure({ name }: Pick<Provider, 'name'>, error: unknown): string {
  if (error instanceof UnsettledError) return error.message;
  if (!(error instanceof ProviderQuestionError)) return `${name} could not be asked (${failureWord(error)}).`;
  const { status } = error;
  const meaning = STATUS_MEANINGS[status];
  return `${name} answered ${status}${meaning === undefined ? '' : `: ${meaning}`}.`;
}

const STATUS_MEANINGS: Readonly<Record<number, string | undefined>> = {
  401: 'it no longer accepts the provider key',
  403: 'the provider key may not read this',
  404: 'it does not have this under the provider key',
  429: 'too many requests',
};

function failureWord(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { cause } = error;
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
  return code ?? error.name;
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
