import type { LiveStreams } from '../api/live-streams.ts';
import { type Scheduler, systemScheduler } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ChangeFeed, LiveNews } from '../storage/change-feed.ts';

/** Least interval of the news of one workspace. */
const NEWS_EVERY_MS = 1_000;
/** Workspaces whose news wait; the streams of others learn of their calls with the next ones. */
const WORKSPACES_MAX = 10_000;
/** Ids of the newest calls in one message. */
const IDS_MAX = 20;

interface AnnouncerParts {
  readonly feed: Pick<ChangeFeed, 'announce'>;
  readonly log: Log;
  readonly scheduler?: Scheduler;
}

interface RecordedCalls {
  readonly entries: readonly { readonly workspaceId: string; readonly callId: string }[];
  readonly refused?: readonly { readonly workspaceId: string; readonly calls: number }[];
}

/** Announces recorded and refused calls to other nodes: the first ones immediately, and further ones once a second. */
export class CallAnnouncer {
  readonly #parts: AnnouncerParts;
  readonly #scheduler: Scheduler;
  #waiting = new Map<string, LiveNews>();
  #callOff: (() => void) | null = null;

  constructor(parts: AnnouncerParts) {
    this.#parts = parts;
    this.#scheduler = parts.scheduler ?? systemScheduler;
  }

  recorded({ entries, refused = [] }: RecordedCalls): void {
    for (const { workspaceId, callId } of entries)
      this.#add(workspaceId, (news) => ({
        ...news,
        recorded: news.recorded + 1,
        ids: [callId, ...news.ids.slice(0, IDS_MAX - 1)],
      }));
    for (const { workspaceId, calls } of refused)
      this.#add(workspaceId, (news) => ({ ...news, refused: news.refused + calls }));
    if (!this.#callOff) this.#send();
  }

  close(): void {
    this.#callOff?.();
  }

  #add(workspaceId: string, change: (news: LiveNews) => LiveNews): void {
    const news = this.#waiting.get(workspaceId);
    if (!news && this.#waiting.size >= WORKSPACES_MAX) return;
    this.#waiting.set(workspaceId, change(news ?? { workspaceId, recorded: 0, ids: [], refused: 0 }));
  }

  #send(): void {
    this.#callOff = null;
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#callOff = this.#scheduler.later(() => this.#send(), NEWS_EVERY_MS);
    this.#announce(waiting).catch((error: unknown) =>
      this.#parts.log.warn({ err: error }, 'live streams of other nodes miss recorded calls until the next ones'),
    );
  }

  async #announce(waiting: readonly LiveNews[]): Promise<void> {
    for (const news of waiting) await this.#parts.feed.announce(news);
  }
}

/** Sends the streams of this node the calls that another node has recorded. */
export function publishNews({ workspaceId, recorded, ids, refused }: LiveNews, live: Pick<LiveStreams, 'send'>): void {
  if (recorded > 0) live.send(workspaceId, 'recorded', { count: recorded, ids: [...ids] });
  if (refused > 0) live.send(workspaceId, 'refused', { count: refused });
}
