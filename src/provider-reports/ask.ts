import type { ReportRequest } from './source.ts';

/** A page of a week of a large organization has some megabytes. */
const ASK_LIMITS = { bodyBytesMax: 64 * 1_024 * 1_024, msMax: 60_000 };

/** What a provider answered, or why it did not: a word for people. */
export type ReportAnswer =
  | { readonly ok: true; readonly status: number; readonly headers: AnswerHeaders; readonly text: string }
  | { readonly ok: false; readonly reason: string };
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Asks a provider for a report. Never throws. */
export type AskProvider = (question: ReportQuestion) => Promise<ReportAnswer>;

interface ReportQuestion {
  /** The provider's address without a trailing slash. */
  readonly url: string;
  readonly request: ReportRequest;
  /** The key is in them, and nowhere else. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Over the network, bounded in time and size; redirects are not followed, so that the key goes nowhere else. */
export function createAskProvider(userAgent: string, { bodyBytesMax, msMax } = ASK_LIMITS): AskProvider {
  return async ({ url, request: { path, query, headers: own }, headers, signal }) => {
    const parameters = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
    const timeout = AbortSignal.timeout(msMax);
    try {
      // Only who reads reports has it loaded: 11 MB.
      const { request } = await import('undici');
      const answer = await request(`${url}${path}${parameters === '' ? '' : `?${parameters}`}`, {
        headers: { accept: 'application/json', 'user-agent': userAgent, ...headers, ...own },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const pieces: Uint8Array[] = [];
      let bytes = 0;
      for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
        bytes += piece.length;
        if (bytes > bodyBytesMax) return { ok: false, reason: `the answer has more than ${bodyBytesMax} bytes` };
        pieces.push(piece);
      }
      return { ok: true, status: answer.statusCode, headers: answer.headers, text: Buffer.concat(pieces).toString() };
    } catch (error) {
      return { ok: false, reason: timeout.aborted ? 'it did not answer in time' : errorCode(error) };
    }
  };
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no connection';
}
