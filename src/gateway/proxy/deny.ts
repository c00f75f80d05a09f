import type { ServerResponse } from 'node:http';
import { ERROR_STATUS, type ErrorFacts, type ErrorType, TollbookError } from '../../domain/errors.ts';
import { withoutSecrets } from '../../domain/identity/secret.ts';
import type { Log } from '../../lib/log.ts';
import type { Provider } from '../../providers/provider.ts';
import { NO_PAGE_HEADERS } from './headers.ts';

const UNAVAILABLE_RETRY_S = 1;

export interface ProxyDenial {
  readonly status: number;
  readonly type: ErrorType;
  readonly message: string;
  /** Field of the request it is about. */
  readonly param?: string | undefined;
  /** Seconds; absent = repeating the call doesn't help. */
  readonly retryAfter?: number | undefined;
  readonly facts?: ErrorFacts | undefined;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
}

/** Anything we did not foresee is "internal" to the caller, and fully told to the operator. */
export function toDenial(error: unknown, log: Log, callId: string): ProxyDenial {
  if (error instanceof TollbookError) {
    const { status, type, message, param, facts, headers } = error;
    const retryAfter = error.retryAfter ?? (status === ERROR_STATUS.unavailable ? UNAVAILABLE_RETRY_S : undefined);
    return { status, type, message: withoutSecrets(message), param, retryAfter, facts, headers };
  }
  log.error({ callId, err: error }, 'a proxied call failed inside the gate');
  return {
    status: 500,
    type: 'internal',
    message: `The gate failed on this call; nothing was sent. Its log tells why, under ${callId}.`,
  };
}

/** Answers a call that was not sent, in the shape its client library understands. */
export function deny(res: ServerResponse, provider: Provider | null, denial: ProxyDenial, callId: string): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  const rendered = provider
    ? provider.renderError({ ...denial, callId })
    : {
        status: denial.status,
        headers: {},
        body: JSON.stringify({ error: denial.message, type: denial.type, requestId: callId }),
      };
  const body = Buffer.from(rendered.body);
  res.writeHead(rendered.status, {
    ...NO_PAGE_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'x-svc-call-id': callId,
    ...toHeaderRecord(denial.headers ?? []),
    ...rendered.headers,
  });
  res.end(body);
}

function toHeaderRecord(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) headers[flat[at] ?? ''] = flat[at + 1] ?? '';
  return headers;
}
