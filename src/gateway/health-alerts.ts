import { callsText } from '../domain/text/counts.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import { type Clock, type Scheduler, systemScheduler } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';

/** Part whose failure is alerted: writing calls to the journal, or copying them to the ledger. */
type WatchedPart = 'journal' | 'ledger';

type HealthAlert = Pick<Alert, 'type' | 'title'>;

const ALERTS = {
  journal: { type: 'JOURNAL_PROBLEM', title: 'Journal not working' },
  ledger: { type: 'LEDGER_PROBLEM', title: 'Ledger not working' },
} as const satisfies Record<WatchedPart, HealthAlert>;

/** The process before was killed, or its machine lost power. */
export const JOURNAL_NOT_CLOSED = {
  type: 'JOURNAL_PROBLEM',
  title: 'Journal was not closed',
} as const satisfies HealthAlert;

/** Time without a failure after which an episode ends. A failure before that belongs to the same episode. */
const WELL_MS = 30_000;
/** Maximum number of sentences that one episode logs. */
const SENTENCES_MAX = 20;

interface HealthAlertsOptions {
  /** Name of this node, where others share its alerts. Default: there are no others. */
  readonly node?: string | null;
  readonly clock: Clock;
  readonly log: Log;
  readonly raise: (alert: Alert) => void;
  /** Ends the alert of an episode. */
  readonly over: (episode: string) => void;
  /** Default: the system's. */
  readonly scheduler?: Scheduler;
}

/** A failure of one part, from its first sentence until the part has worked for a while. */
interface HealthEpisode {
  readonly id: string;
  readonly logged: Set<string>;
  /** Refused calls that are not recorded. */
  lostRefusals: number;
  /** Cancels its end; null = the failure lasts. */
  keepOpen: (() => void) | null;
}

/** Alerts about the service's own health. Each episode is one alert, and logs each of its sentences once. */
export class HealthAlerts {
  readonly #options: HealthAlertsOptions;
  readonly #scheduler: Scheduler;
  readonly #sentences = new Map<WatchedPart, string>();
  readonly #episodes = new Map<WatchedPart, HealthEpisode>();

  constructor(options: HealthAlertsOptions) {
    this.#options = options;
    this.#scheduler = options.scheduler ?? systemScheduler;
  }

  /** Returns what is wrong with a part and what to do; null = nothing. */
  sentence(part: WatchedPart): string | null {
    return this.#sentences.get(part) ?? null;
  }

  /** Takes the state of a part: a sentence that says what is wrong, or null. */
  report(part: WatchedPart, sentence: string | null): void {
    if (sentence === this.sentence(part)) return;
    if (sentence === null) {
      this.#sentences.delete(part);
      const episode = this.#episodes.get(part);
      if (episode) episode.keepOpen = this.#scheduler.later(() => this.#end(part), WELL_MS);
      return;
    }
    this.#sentences.set(part, sentence);
    const { logged } = this.#continue(part, sentence);
    if (logged.has(sentence) || logged.size >= SENTENCES_MAX) return;
    logged.add(sentence);
    this.#options.log.error(sentence);
  }

  /** Takes refused calls that the journal lost. Logs the first, and then each tenfold number. */
  noteLostRefusals(calls: number): void {
    const episode = this.#episodes.get('journal');
    const before = episode?.lostRefusals ?? 0;
    const lost = before + calls;
    if (episode) episode.lostRefusals = lost;
    if (before > 0 && Math.floor(Math.log10(lost)) === Math.floor(Math.log10(before))) return;
    this.#options.log.error({ calls: lost }, 'refused calls are not recorded: the journal cannot be written');
  }

  /** Ends the episodes of parts that work again, without further delay: the service is closing. */
  close(): void {
    for (const [part, { keepOpen }] of this.#episodes) {
      if (!keepOpen) continue;
      keepOpen();
      this.#end(part);
    }
  }

  /** Raises an alert and returns its episode. */
  raiseAlert(severity: Alert['severity'], what: string, message: string, kind: HealthAlert = ALERTS.journal): string {
    const { node = null, clock } = this.#options;
    const episode = node === null ? `${what}:${clock()}` : `${what}:${clock()}:${node}`;
    this.#raise(severity, episode, message, kind);
    return episode;
  }

  #raise(severity: Alert['severity'], episode: string, message: string, { type, title }: HealthAlert): void {
    const { node = null, clock, raise } = this.#options;
    raise({
      type,
      severity,
      // The workspace that is always there.
      workspaceId: DEFAULT_WORKSPACE,
      title: node === null ? title : `${title} on ${node}`,
      message,
      episode,
      createdAt: clock(),
      scope: {},
      value: null,
      threshold: null,
      period: null,
      evidence: {},
    });
  }

  /** Returns the open episode of a part, or begins one. */
  #continue(part: WatchedPart, sentence: string): HealthEpisode {
    const open = this.#episodes.get(part);
    if (open) {
      open.keepOpen?.();
      open.keepOpen = null;
      return open;
    }
    const id = this.raiseAlert('critical', `${part}_problem`, sentence, ALERTS[part]);
    const begun: HealthEpisode = { id, logged: new Set(), lostRefusals: 0, keepOpen: null };
    this.#episodes.set(part, begun);
    return begun;
  }

  #end(part: WatchedPart): void {
    const episode = this.#episodes.get(part);
    if (!episode) return;
    this.#episodes.delete(part);
    const { id, lostRefusals: calls } = episode;
    if (calls === 0) this.#options.log.info(`the ${part} works again`);
    else {
      this.#options.log.warn({ calls }, `the ${part} works again; some refused calls are not recorded`);
      // An alert of the same episode replaces its text.
      this.#raise('critical', id, `The journal works again. ${lostSentence(calls)}`, ALERTS[part]);
    }
    this.#options.over(id);
  }
}

function lostSentence(calls: number): string {
  return `${callsText(calls)} that limits refused meanwhile ${calls === 1 ? 'is' : 'are'} not recorded: too many waited for the journal.`;
}
