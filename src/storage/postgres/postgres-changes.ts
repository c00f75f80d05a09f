import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ChangeFeed, ChangePosition, LiveNews, RecordChange } from '../change-feed.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { parseRecalls, RECALLS_CHANNEL } from './postgres-leases.ts';
import { PostgresListener } from './postgres-listener.ts';
import type { PostgresPool } from './postgres-pool.ts';

const CHANGES_CHANNEL = 'tollbook_changes';
const NEWS_CHANNEL = 'tollbook_news';

const LAST = 'SELECT position, at FROM changes ORDER BY position DESC LIMIT 1';
const SINCE = `SELECT position, at, kind, ref, workspace_id AS "workspaceId" FROM changes
  WHERE position >= $1 ORDER BY position LIMIT $2`;
/** Keeps the newest change before that time: a node that was there has missed nothing. */
const PRUNE = `DELETE FROM changes WHERE position IN (
  SELECT position FROM changes WHERE position < (
    SELECT max(position) FROM changes WHERE at < $1
  ) ORDER BY position LIMIT $2)`;
const newsSchema = z.object({
  sender: z.string(),
  workspaceId: z.string(),
  recorded: z.int().nonnegative(),
  ids: z.array(z.string()),
  refused: z.int().nonnegative(),
});
const ANNOUNCE = 'SELECT pg_notify($1, $2)';

/** The change feed of a PostgreSQL database. */
export class PostgresChanges implements ChangeFeed {
  readonly #pool: PostgresPool;
  readonly #url: string;
  /** Distinguishes news of this process from those of others. */
  readonly #sender = randomUUID();
  #listener: PostgresListener | null = null;

  constructor(pool: PostgresPool, url: string) {
    this.#pool = pool;
    this.#url = url;
  }

  async last(): Promise<ChangePosition> {
    const { rows } = await this.#pool.query({ text: LAST });
    return rows[0] as unknown as ChangePosition;
  }

  async since({ position, at }: ChangePosition, limit: number): Promise<RecordChange[] | null> {
    const { rows } = await this.#pool.query({ text: SINCE, values: [position, limit + 1] });
    const [first, ...changes] = rows as readonly unknown[] as readonly RecordChange[];
    return first?.position === position && first.at === at ? changes : null;
  }

  listen({ changed, news, recalled }: Parameters<ChangeFeed['listen']>[0]): void {
    this.#listener ??= new PostgresListener({
      address: parsePostgresAddress(this.#url),
      channels: [RECALLS_CHANNEL, CHANGES_CHANNEL, NEWS_CHANNEL],
      onConnect: changed,
      onMessage: (channel, payload) => {
        if (channel === CHANGES_CHANNEL) return changed();
        if (channel === RECALLS_CHANNEL) return recalled(parseRecalls(payload));
        const found = parseNews(payload);
        if (found && found.sender !== this.#sender) news(found);
      },
    });
  }

  async announce(news: LiveNews): Promise<void> {
    const payload = JSON.stringify({ ...news, sender: this.#sender });
    await this.#pool.query({ text: ANNOUNCE, values: [NEWS_CHANNEL, payload] });
  }

  async prune(before: number, limit: number): Promise<number> {
    const { changes } = await this.#pool.query({ text: PRUNE, values: [before * 1_000, limit] });
    return changes;
  }

  async close(): Promise<void> {
    await this.#listener?.close();
  }
}

/** Returns null for what another program sent on the same channel. */
function parseNews(payload: string): z.output<typeof newsSchema> | null {
  try {
    return newsSchema.parse(JSON.parse(payload));
  } catch {
    return null;
  }
}
