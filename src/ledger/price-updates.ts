import { createHash } from 'node:crypto';
import type { AppliedPrices, PriceChoice, PriceUpdates, PriceUpdate } from '../api/price-updates.ts';
import type { Config } from '../config.ts';
import { operatorGuard } from '../domain/alerts/webhook-address.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { createGuardedSender } from '../lib/http/guarded-sender.ts';
import type { Log } from '../lib/log.ts';
import { comparePriceLists } from '../prices/compare-lists.ts';
import { createPriceBook, type PriceBook } from '../prices/price-book.ts';
import type { PriceFile } from '../prices/price-rows.ts';
import { parseFetched, parsePriceFiles } from '../prices/refresh-cards.ts';
import type { Actor } from '../storage/records/audit.ts';
import type { DocumentRecords } from '../storage/records/documents.ts';

const DOCUMENT = 'price-update.json';
const FETCH_MS_MAX = 30_000;
const BYTES_MAX = 8_000_000;
const ID_CHARS = 16;

interface PriceUpdateParts {
  readonly config: Pick<Config, 'pricesUrl' | 'webhookAllow'>;
  readonly documents: DocumentRecords;
  readonly prices: PriceBook;
  /** Fetched prices in use. */
  readonly filesInUse: () => readonly PriceFile[];
  readonly clock: Clock;
  readonly log: Log;
  readonly use: UsePrices;
}

/** A fetched list that a person has chosen, with the number of its changes. */
export interface ChosenPrices {
  readonly id: string;
  readonly source: string;
  readonly changes: number;
  readonly largeChanges: number;
  readonly files: readonly PriceFile[];
}

/** Puts fetched prices to use. */
export type UsePrices = (chosen: ChosenPrices, actor: Actor) => Promise<void>;

interface FetchedUpdate {
  readonly source: string;
  readonly fetchedAt: number;
  readonly files: readonly PriceFile[];
}

/** Fetches price lists, which change no price until a person applies them. */
export function createPriceUpdates(parts: PriceUpdateParts): PriceUpdates {
  const { config, documents, clock, log } = parts;
  return {
    async fetch() {
      const source = requireSource(config.pricesUrl);
      const files = parsePriceFiles(await fetchText(source, config.webhookAllow));
      const fetched = { source, fetchedAt: clock(), files };
      await documents.write(DOCUMENT, `${JSON.stringify(fetched, null, 2)}\n`);
      const update = describeUpdate(parts, fetched);
      if (update.changes.length > 0)
        log.info({ source, changes: update.changes.length }, 'fetched prices wait: tollbook prices refresh --apply');
      return update;
    },
    async waiting() {
      const fetched = await readWaiting(parts);
      const update = fetched && describeUpdate(parts, fetched);
      return update && update.changes.length > 0 ? update : null;
    },
    apply: (choice, actor) => applyUpdate(parts, choice, actor),
  };
}

function requireSource(pricesUrl: string | null): string {
  if (pricesUrl !== null) return pricesUrl;
  throw new TollbookError(
    'unprocessable',
    'There is no address to refresh prices from. Set SVC_PRICES_URL and start again.',
  );
}

async function applyUpdate(
  parts: PriceUpdateParts,
  { id, acceptsLarge }: PriceChoice,
  actor: Actor,
): Promise<AppliedPrices> {
  const fetched = await readWaiting(parts);
  if (!fetched || updateId(fetched) !== id)
    throw new TollbookError('conflict', 'This price list is not the one that waits. Look at the changes again.');
  const { changes } = describeUpdate(parts, fetched);
  const largeChanges = changes.filter(({ isLarge }) => isLarge);
  const [large] = largeChanges;
  if (large && !acceptsLarge)
    throw new TollbookError(
      'conflict',
      `Some changes are so large that they may be mistakes, for example that of ${large.model} of ${large.provider}. Check them, then accept large changes.`,
    );
  const { source, files } = fetched;
  await parts.use({ id, source, changes: changes.length, largeChanges: largeChanges.length, files }, actor);
  return { source, changes: changes.length };
}

/** Reads the list that waits; null = none, or it is from another address. */
async function readWaiting({ documents, config, log }: PriceUpdateParts): Promise<FetchedUpdate | null> {
  const text = await documents.read(DOCUMENT);
  if (text === null) return null;
  try {
    const fetched = parseFetched(text);
    return fetched.source === config.pricesUrl ? fetched : null;
  } catch (error) {
    log.error({ err: error }, `${documents.place(DOCUMENT)} can't be read and is ignored until the next fetch.`);
    return null;
  }
}

function describeUpdate({ prices, filesInUse, clock }: PriceUpdateParts, fetched: FetchedUpdate): PriceUpdate {
  const next = createPriceBook();
  next.setRefreshed(fetched.files);
  const providers = new Set([...filesInUse(), ...fetched.files].map(({ provider }) => provider));
  const changes = comparePriceLists(prices, next, [...providers], clock());
  return { id: updateId(fetched), source: fetched.source, fetchedAt: fetched.fetchedAt, changes };
}

function updateId({ source, files }: FetchedUpdate): string {
  return createHash('sha256')
    .update(JSON.stringify([source, files]))
    .digest('hex')
    .slice(0, ID_CHARS);
}

async function fetchText(url: string, allow: Config['webhookAllow']): Promise<string> {
  const limits = { totalMsMax: FETCH_MS_MAX, bodyBytesMax: BYTES_MAX + 1, keptBytesMax: BYTES_MAX + 1 };
  const sender = createGuardedSender({ guard: operatorGuard(allow), limits });
  const answer = await sender.send({ url, method: 'GET', headers: { accept: 'application/json' }, body: '' });
  if (!answer.ok) throw new TollbookError('unprocessable', `The price list was not fetched. ${answer.message}`);
  if (answer.status !== 200)
    throw new TollbookError('unprocessable', `The price list at ${url} answered ${answer.status}.`);
  if (answer.bytes.length > BYTES_MAX)
    throw new TollbookError('unprocessable', `The price list at ${url} is larger than ${BYTES_MAX} bytes.`);
  return answer.body;
}
