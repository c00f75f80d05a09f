import type { Alert } from './core/alert.ts';
import type { Clock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { DEFAULT_WORKSPACE } from './storage/records/records.ts';

/** Where trouble can last: calls can't be written down, or those written down don't reach the book. */
type Part = 'journal' | 'book';

const ALERTS = {
  journal: { type: 'JOURNAL_TROUBLE', title: 'Trouble with the journal' },
  book: { type: 'BOOK_TROUBLE', title: 'Trouble with the book' },
} as const satisfies Record<Part, Pick<Alert, 'type' | 'title'>>;

interface TroublesOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly raise: (alert: Alert) => void;
  /** The episode of an alert is over. */
  readonly over: (episode: string) => void;
}

/** What is wrong with the service now. Trouble of a part, from its first sentence to its end, is one episode: one alert. */
export class Troubles {
  readonly #options: TroublesOptions;
  readonly #now = new Map<Part, string>();
  /** The episode of each trouble that lasts. */
  readonly #episodes = new Map<Part, string>();

  constructor(options: TroublesOptions) {
    this.#options = options;
  }

  /** The sentence that says what is wrong with a part and what to do; null = nothing. */
  of(part: Part): string | null {
    return this.#now.get(part) ?? null;
  }

  /** Takes what a part says of itself: a sentence, or null when it is well. */
  hear(part: Part, sentence: string | null): void {
    const before = this.of(part);
    if (sentence === before) return;
    if (sentence === null) {
      this.#now.delete(part);
      this.#options.log.info(`the ${part} works again`);
      return this.#end(part);
    }
    this.#now.set(part, sentence);
    this.#options.log.error(sentence);
    if (before === null) this.#episodes.set(part, this.tell('critical', `${part}_trouble`, sentence, part));
  }

  /** Raises an alert of its own; returns its episode. */
  tell(severity: Alert['severity'], what: string, message: string, part: Part = 'journal'): string {
    const now = this.#options.clock();
    const episode = `${what}:${now}`;
    this.#options.raise({
      type: ALERTS[part].type,
      severity,
      // The workspace that is always there.
      workspaceId: DEFAULT_WORKSPACE,
      title: ALERTS[part].title,
      message,
      episode,
      createdAt: now,
      scope: {},
      value: null,
      threshold: null,
      period: null,
      evidence: {},
    });
    return episode;
  }

  #end(part: Part): void {
    const episode = this.#episodes.get(part);
    this.#episodes.delete(part);
    if (episode !== undefined) this.#options.over(episode);
  }
}
