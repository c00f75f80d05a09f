import { type LoggedCall, type LoggedFacts, NO_LOGGED_FACTS, sumLoggedTokens } from './logged-calls.ts';

/** Collects the calls of one file, each by its last row. A file with several sessions may have copies of a call. */
export class CallCollector {
  readonly #calls: Map<string, LoggedCall>;
  #facts: LoggedFacts;

  /** @param before facts of the part that was read earlier; null = none */
  constructor(before: LoggedFacts | null) {
    this.#facts = before ?? NO_LOGGED_FACTS;
    this.#calls = new Map(this.#facts.calls.map((call) => [toKey(call), call]));
  }

  /** Names the session, the project and the start of the file. The first values stay. */
  begin({ session, project, startedAt }: Partial<Omit<LoggedFacts, 'calls' | 'unreadable'>>): void {
    this.#facts = {
      ...this.#facts,
      session: this.#facts.session ?? session ?? null,
      project: this.#facts.project ?? project ?? null,
      startedAt: this.#facts.startedAt ?? startedAt ?? null,
    };
  }

  /** Adds a call that used tokens. One with a count that is not a number, or below 0, is unreadable. */
  add(call: LoggedCall): void {
    const { input, cacheRead, cacheWrite, output, thinking } = call;
    const counts = [input, cacheRead, cacheWrite, output, thinking];
    const isCounted = counts.every((count) => Number.isSafeInteger(count) && count >= 0);
    if (!isCounted || !Number.isFinite(call.at)) this.unreadable();
    else if (sumLoggedTokens(call) > 0) this.#calls.set(toKey(call), call);
  }

  /** Counts a row that may contain usage and could not be read. */
  unreadable(): void {
    this.#facts = { ...this.#facts, unreadable: this.#facts.unreadable + 1 };
  }

  facts(): LoggedFacts {
    return { ...this.#facts, calls: [...this.#calls.values()] };
  }
}

function toKey({ session, id }: LoggedCall): string {
  return `${session ?? ''} ${id}`;
}
