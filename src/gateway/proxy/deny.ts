import { ERROR_STATUS, type ErrorFacts, type ErrorType, TollbookError } from '../../domain/errors.ts';
import { withoutSecrets } from '../../domain/identity/secret.ts';
import type { Log } from '../../lib/log.ts';
import type { Provider } from '../../providers/provider.ts';
import type { ClientResponse } from './client-response.ts';
import { CountRefusal } from './count-tokens.ts';
import { NO_PAGE_HEADERS } from './headers.ts';
import type { ProxyRequest } from './proxy-request.ts';

const UNAVAILABLE_RETRY_S = 1;

/** Statuses of failures to reach the provider. */
type UpstreamStatus = 502 | 503 | 504;

/** Answers a call whose provider gave no answer. */
export function denyUpstream(
  res: ClientResponse,
  provider: Provider,
  status: UpstreamStatus,
  message: string,
  callId: string,
): void {
  const type = status === 504 ? 'upstream_timeout' : 'upstream_unreachable';
  deny(res, provider, { status, type, message }, callId);
}

interface RequestDenierDeps {
  readonly log: Log;
  /** Runs for every request that was refused before anything was sent. */
  readonly onRefused: (provider: string | null, status: number) => void;
}

/** Answers and counts refused requests. */
export class RequestDenier {
  readonly #deps: RequestDenierDeps;

  constructor(deps: RequestDenierDeps) {
    this.#deps = deps;
  }

  /** Refuses an authenticated request. */
  refuse({ res, provider, id }: ProxyRequest, error: unknown): void {
    this.refuseUnknown(res, provider, error, id);
  }

  /** Refuses a request whose key, or even provider (null), is unknown. */
  refuseUnknown(res: ClientResponse, provider: Provider | null, error: unknown, callId: string): void {
    if (error instanceof CountRefusal) return this.#forwardRefusal(res, provider, error, callId);
    const denial = toDenial(error, this.#deps.log, callId);
    this.#deps.onRefused(provider?.id ?? null, denial.status);
    deny(res, provider, denial, callId);
  }

  /** Forwards the provider's own refusal of a prompt, which cost nothing. */
  #forwardRefusal(
    res: ClientResponse,
    provider: Provider | null,
    { status, headers, body }: CountRefusal,
    callId: string,
  ): void {
    this.#deps.onRefused(provider?.id ?? null, status);
    if (res.destroyed) return;
    res.writeHead(status, [...headers, 'content-length', String(body.length), 'x-svc-call-id', callId]).end(body);
  }
}

export interface ProxyDenial {
  readonly status: number;
  readonly type: ErrorType;
  readonly message: string;
  /** Request field that the message is about. */
  readonly param?: string | undefined;
  /** Seconds; absent = retrying does not help. */
  readonly retryAfter?: number | undefined;
  readonly facts?: ErrorFacts | undefined;
  /** Alternating names and values. */
  readonly headers?: readonly string[];
}

/** Describes an error for the client. Unexpected errors are `internal`; their details go to the log only. */
export function toDenial(error: unknown, log: Log, callId: string): ProxyDenial {
  if (error instanceof TollbookError) {
    const { status, type, message, param, facts, headers } = error;
    const retryAfter = error.retryAfter ?? (status === ERROR_STATUS.unavailable ? UNAVAILABLE_RETRY_S : undefined);
    return { status, type, message: withoutSecrets(message), param, retryAfter, facts, headers };
  }
  log.error({ callId, err: error }, 'a proxied call failed inside the gateway');
  return {
    status: 500,
    type: 'internal',
    message: `The gateway failed on this call; nothing was sent. See its log for ${callId}.`,
  };
}

/** Answers a call that was not sent, in the provider's error format. */
export function deny(res: ClientResponse, provider: Provider | null, denial: ProxyDenial, callId: string): void {
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
