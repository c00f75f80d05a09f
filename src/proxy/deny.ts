import type { ServerResponse } from 'node:http';
import { ERROR_STATUS, type ErrorType, TollbookError } from '../core/errors.ts';
import { withoutSecrets } from '../core/secret.ts';
import type { Log } from '../lib/log.ts';
import type { Provider } from '../providers/provider.ts';

export interface Denial {
  readonly status: number;
  readonly type: ErrorType;
  readonly message: string;
}

/** Anything we did not foresee is "internal" to the caller, and fully told to the operator. */
export function denialOf(error: unknown, log: Log, callId: string): Denial {
  if (error instanceof TollbookError)
    return { status: error.status, type: error.type, message: withoutSecrets(error.message) };
  log.error({ callId, err: error }, 'a proxied call failed inside the gate');
  return {
    status: 500,
    type: 'internal',
    message: `The gate failed on this call; nothing was sent. Its log tells why, under ${callId}.`,
  };
}

/** Answers a call that was not sent, in the shape its client library understands. */
export function deny(res: ServerResponse, provider: Provider | null, denial: Denial, callId: string): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  const retryAfter = denial.status === ERROR_STATUS.unavailable ? 1 : undefined;
  const rendered = provider
    ? provider.renderError({ ...denial, callId, ...(retryAfter === undefined ? {} : { retryAfter }) })
    : {
        status: denial.status,
        headers: {},
        body: JSON.stringify({ error: denial.message, type: denial.type, requestId: callId }),
      };
  const body = Buffer.from(rendered.body);
  res.writeHead(rendered.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'x-svc-call-id': callId,
    ...rendered.headers,
  });
  res.end(body);
}
