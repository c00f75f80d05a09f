const WINDOW_MS = 60_000;

export interface RequestAdmission {
  readonly admitted: boolean;
  readonly limit: number;
  /** Requests left in this minute. */
  readonly left: number;
  /** Epoch ms at which the next minute begins. */
  readonly resetsAt: number;
}

/**
 * Counts requests per access token and minute. Only tokens that exist are counted, and all counts are dropped with
 * their minute, so there are never more of them than live tokens.
 */
export class RequestLimit {
  readonly #perMinute: number;
  #minute = -1;
  #counts = new Map<string, number>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  admit(tokenId: string, now: number): RequestAdmission {
    const minute = Math.floor(now / WINDOW_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(tokenId) ?? 0) + 1;
    this.#counts.set(tokenId, count);
    return {
      admitted: count <= this.#perMinute,
      limit: this.#perMinute,
      left: Math.max(0, this.#perMinute - count),
      resetsAt: (minute + 1) * WINDOW_MS,
    };
  }
}
