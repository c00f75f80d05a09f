import type { InstallationService, RefreshResult } from '../api/services.ts';
import { LIMITS } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import { fetchPrices } from '../jobs/refresh-prices.ts';
import type { Actor } from '../storage/records/actor.ts';
import { backup } from './backup.ts';
import { doctor } from './doctor.ts';
import { journalProblem } from './known-journal.ts';
import type { OperationParts } from './operation-parts.ts';
import { testKey } from './test-key.ts';

/** Work on the folder and the network that endpoints ask for. */
export function createOperations(parts: OperationParts): InstallationService {
  const { config, files, engine } = parts;
  return {
    testKey: (provider, key) => testKey(provider, key, LIMITS.keyTestMsMax),
    backup: (folder) => backup(files, engine, folder, config.secret === null),
    refreshPrices: () => refreshPrices(parts),
    renewJournal: (actor) => renewJournal(parts, actor),
    doctor: (online) => doctor(parts, online),
  };
}

async function renewJournal({ files, records }: OperationParts, actor: Actor): Promise<void> {
  const last = await records.journal.last();
  if (journalProblem(files.journal, last) === null)
    throw new TollbookError(
      'conflict',
      `The journal ${files.journal} is there, so there is nothing to renew. If it is damaged, stop the service and move it aside first.`,
    );
  await records.journal.renew(actor);
}

async function refreshPrices({ config, pricesRefreshed }: OperationParts): Promise<RefreshResult> {
  const source = config.pricesUrl;
  if (source === null)
    throw new TollbookError(
      'impossible',
      'There is no address to refresh prices from. Set SVC_PRICES_URL and start again.',
    );
  const priceFiles = await fetchPrices(source);
  pricesRefreshed(source, priceFiles);
  return { source, cards: priceFiles.reduce((sum, file) => sum + file.prices.length, 0) };
}
