import { TollbookError } from '../../domain/errors.ts';
import { type CallerServices, ownerCaller, personCaller, readToken, tokenCaller, WORKSPACE_HEADER } from './caller.ts';
import type { Caller, Endpoint } from './endpoint.ts';
import { requireJsonBody, requireSameOrigin } from './same-origin.ts';
import type { ApiSettings } from '../settings.ts';
import type { Clock } from '../../lib/clock.ts';
import type { RequestInfo } from './request-info.ts';

interface AuthenticatorServices extends CallerServices {
  readonly settings: ApiSettings;
  readonly clock: Clock;
}

const WINDOW_MS = 60_000;
/** Telemetry requests for each other request that a token may make. A machine sends three every few seconds. */
const TELEMETRY_REQUESTS = 10;

export interface RequestAdmission {
  readonly admitted: boolean;
  readonly limit: number;
  /** Requests left in this minute. */
  readonly left: number;
  /** Start of the next minute, epoch ms. */
  readonly resetsAt: number;
}

/**
 * Counts requests by access token and minute. Only existing tokens are counted, and all counts are dropped after their
 * minute, so there are never more counts than active tokens.
 */
export class RequestLimit {
  readonly #perMinute: number;
  #minute = -1;
  #counts = new Map<string, number>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  admit(tokenId: string, now: number, requests = 1): RequestAdmission {
    const minute = Math.floor(now / WINDOW_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(tokenId) ?? 0) + requests;
    this.#counts.set(tokenId, count);
    return {
      admitted: count <= this.#perMinute,
      limit: this.#perMinute,
      left: Math.max(0, this.#perMinute - count),
      resetsAt: (minute + 1) * WINDOW_MS,
    };
  }
}

/** Throws `rate_limited` for a request above the limit. */
export function requireAdmitted({ admitted, limit, resetsAt }: RequestAdmission, who: string, now: number): void {
  if (admitted) return;
  const seconds = Math.max(1, Math.ceil((resetsAt - now) / 1_000));
  const sentence = `${who} made its ${limit} requests for this minute. Wait ${seconds} s.`;
  throw new TollbookError('rate_limited', sentence, undefined, { retryAfter: seconds });
}

interface AuthRequest {
  readonly request: Request;
  readonly requestInfo: RequestInfo;
  readonly asked: Endpoint;
  /** The request came through the control socket. */
  readonly owner: boolean;
  readonly setHeader: (name: string, value: string) => void;
}

/** Authenticates a request: the owner of the data folder, an access token, or a person by the session cookie. */
export class Authenticator {
  readonly #services: AuthenticatorServices;
  readonly #requestLimit: RequestLimit;
  readonly #telemetryLimit: RequestLimit;

  constructor(services: AuthenticatorServices) {
    this.#services = services;
    const { tokenRequestsPerMinute } = services.settings;
    this.#requestLimit = new RequestLimit(tokenRequestsPerMinute);
    this.#telemetryLimit = new RequestLimit(TELEMETRY_REQUESTS * tokenRequestsPerMinute);
  }

  /** null = the endpoint is public. */
  async admit(authRequest: AuthRequest): Promise<Caller | null> {
    const { request, asked, owner } = authRequest;
    if (asked.right === 'public') {
      requireSameOrigin(request, this.#services.settings.baseUrl, request.headers.has('cookie'));
      requireJsonBody(request);
      return null;
    }
    if (owner) return ownerCaller(request, this.#services);
    // A reverse proxy may require its own password, which browsers send in the same header.
    const hasToken = /^bearer\b/i.test(request.headers.get('authorization')?.trim() ?? '');
    const caller = hasToken ? null : await this.#person(authRequest);
    if (caller) {
      this.#count(caller.actor, 'You', authRequest);
      return caller;
    }
    const token = await readToken(request, this.#services);
    this.#count(token.id, 'This token', authRequest);
    return tokenCaller(token);
  }

  async #person({ request, requestInfo }: AuthRequest): Promise<Caller | null> {
    if (!request.headers.has('cookie')) return null;
    // Browsers can't set headers when they open a stream or download a file.
    const named = request.headers.get(WORKSPACE_HEADER) ?? new URL(request.url).searchParams.get('workspace');
    const caller = await personCaller(requestInfo, named, this.#services);
    if (!caller) return null;
    requireSameOrigin(request, this.#services.settings.baseUrl, true);
    requireJsonBody(request);
    return caller;
  }

  #count(actor: string, who: string, { asked, setHeader }: AuthRequest): void {
    const now = this.#services.clock();
    const limit = asked.bodyTypes ? this.#telemetryLimit : this.#requestLimit;
    const admission = limit.admit(actor, now);
    const { left, resetsAt } = admission;
    setHeader('x-ratelimit-limit', String(admission.limit));
    setHeader('x-ratelimit-remaining', String(left));
    setHeader('x-ratelimit-reset', String(Math.ceil(resetsAt / 1_000)));
    requireAdmitted(admission, who, now);
  }
}
