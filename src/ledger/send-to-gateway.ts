import type { LiveStreams } from '../api/live-streams.ts';
import type { Limit } from '../domain/limits/limit.ts';
import type { MessageToGateway } from '../ipc/messages.ts';
import { readOverrun, readRefusalEpisode } from '../limits/alerts.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';
import type { Records } from '../storage/records/records.ts';

interface UpdateParts {
  readonly records: Pick<Records, 'keys' | 'tokens' | 'prices' | 'contracts' | 'limits' | 'providers'>;
  readonly prices: Pick<PriceBook, 'setUserCards' | 'contracts'>;
  readonly live: Pick<LiveStreams, 'send'>;
  readonly send: (message: MessageToGateway) => void;
  readonly reloadProviders: () => Promise<void>;
  /** Uses the prices that were fetched last, and sends them. */
  readonly reloadFetchedPrices: () => Promise<void>;
}

/** Brings this process and its gateway up to date with records. Each method may run more than once. */
export class GatewayUpdates {
  readonly #parts: UpdateParts;
  /** Ids of limits that the gateway may have. */
  readonly #limits = new Set<string>();

  constructor(parts: UpdateParts) {
    this.#parts = parts;
  }

  async key(id: string): Promise<void> {
    const key = await this.#parts.records.keys.findForGateway(id);
    if (key) this.#parts.send({ type: 'key-changed', key });
  }

  /** Sends a key with another secret, which expires. */
  async lentKey(id: string, secretHash: string, until: number): Promise<void> {
    const key = await this.#parts.records.keys.findForGateway(id);
    if (!key) return;
    const expiresAt = key.expiresAt === null ? until : Math.min(key.expiresAt, until);
    this.#parts.send({ type: 'key-changed', key: { ...key, hash: secretHash, expiresAt } });
  }

  token(hash: string, isLive: boolean): void {
    this.#parts.send({ type: 'token-changed', hash, live: isLive });
  }

  async prices(): Promise<void> {
    const { records, prices, send } = this.#parts;
    const userCards = await records.prices.all();
    const contracts = await records.contracts.all();
    prices.setUserCards(userCards);
    prices.contracts.set(contracts);
    send({ type: 'custom-prices-changed', userCards, contracts });
  }

  async fetchedPrices(): Promise<void> {
    await this.#parts.reloadFetchedPrices();
  }

  async providers(): Promise<void> {
    const { records, send, reloadProviders } = this.#parts;
    await reloadProviders();
    send({ type: 'providers-changed', customProviders: await records.providers.list() });
  }

  limit(limit: Limit): void {
    this.#limits.add(limit.id);
    this.#parts.send({ type: 'limit-changed', limit });
    this.#parts.live.send(limit.workspaceId, 'limit', { id: limit.id });
  }

  limitRemoved({ id, workspaceId }: Pick<Limit, 'id' | 'workspaceId'>): void {
    this.#limits.delete(id);
    this.#parts.send({ type: 'limit-removed', id });
    this.#parts.live.send(workspaceId, 'limit', { id });
  }

  /** Sends the limits of a workspace, whose windows follow its time zone. */
  async zone(workspaceId: string): Promise<void> {
    for (const limit of await this.#parts.records.limits.list(workspaceId))
      this.#parts.send({ type: 'limit-changed', limit });
  }

  /** Sends the overrun of an alert; nothing if it is another kind of alert. */
  overrun(alert: StoredAlert): void {
    const overrun = readOverrun(alert);
    if (!overrun) return;
    if (alert.readAt === null) this.#parts.send({ type: 'overrun-found', overrun });
    else this.#parts.send({ type: 'overrun-acknowledged', model: overrun });
  }

  /** Sends the alert of a limit that refuses calls, or its end; nothing if it is another kind of alert. */
  refusal(alert: StoredAlert): void {
    const episode = readRefusalEpisode(alert);
    if (episode) this.#parts.send({ type: 'refusal-alerted', episode });
  }

  /** Notes the limits of a snapshot. */
  sent(limits: readonly Limit[]): void {
    for (const { id } of limits) this.#limits.add(id);
  }

  /** Sends all records. */
  async all(): Promise<void> {
    const { records, send } = this.#parts;
    send({
      type: 'keys-reloaded',
      keys: await records.keys.listForGateway(),
      tokenHashes: await records.tokens.hashes(),
    });
    await this.prices();
    await this.fetchedPrices();
    await this.providers();
    const limits = await records.limits.all();
    const present = new Set(limits.map(({ id }) => id));
    for (const id of this.#limits)
      if (!present.has(id)) {
        this.#limits.delete(id);
        send({ type: 'limit-removed', id });
      }
    for (const limit of limits) this.limit(limit);
  }
}
