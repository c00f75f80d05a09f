import type { InstallationOperations } from '../api/installation.ts';
import type { KeyTester, KeyTest } from '../api/keys.ts';
import { LIMITS } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Actor } from '../storage/records/audit.ts';
import { backup } from './backup.ts';
import { doctor, type OperationParts } from './doctor.ts';
import { listJournals } from './data-folder.ts';
import { networkReason } from './network-reason.ts';
import { findJournalProblems } from './journal-problems.ts';
import { forgetNode, listNodes } from './node-service.ts';
import type { Provider } from '../providers/provider.ts';

/** Statuses for a bad key; Google answers 400. */
const BAD_KEY_STATUSES = new Set([400, 401, 403]);

/** Requests the provider's free model list with a key. Never throws: an unreachable provider is a result too. */
async function testKey(provider: Provider, providerKey: string, now: number): Promise<KeyTest> {
  const headers: Record<string, string> = { ...provider.defaultHeaders, accept: 'application/json' };
  try {
    provider.authorize(headers, providerKey);
    const url = new URL(provider.url + provider.modelListPath);
    provider.sign?.({ method: 'GET', origin: url.origin, path: url.pathname, headers, body: null }, providerKey, now);
    const answer = await fetch(url, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(LIMITS.keyTestMsMax),
    });
    await answer.body?.cancel();
    if (answer.ok) return { ok: true };
    const { status } = answer;
    if (BAD_KEY_STATUSES.has(status) && !provider.isKeyUnknown?.(status, answer.headers))
      return { ok: false, offline: false, status, message: `${provider.name} refused this key (status ${status}).` };
    return {
      ok: false,
      offline: true,
      message: `${provider.name} answered ${answer.status}, so the key could not be tested.`,
    };
  } catch (error) {
    return {
      ok: false,
      offline: true,
      message: `${provider.name} could not be reached (${networkReason(error)}), so the key was not tested.`,
    };
  }
}

/** Creates the operations on folder and network for the API. */
export function createOperations(parts: OperationParts): InstallationOperations & KeyTester {
  const { config, files, engine } = parts;
  return {
    testKey: (provider, key) => testKey(provider, key, parts.clock()),
    backup: (to) =>
      backup(
        files,
        engine,
        listJournals(config).map(({ folder }) => folder),
        to,
        config.secret === null,
      ),
    renewJournal: (actor) => renewJournal(parts, actor),
    doctor: (online) => doctor(parts, online),
    forgetNode: (id, uncertain, actor) =>
      forgetNode({ ...parts, ...engine, hasNodes: engine.leases !== null }, id, uncertain, actor),
    nodes: async () => {
      const [grants, hasNodes] = [(await engine.nodeAmounts?.grants()) ?? [], engine.leases !== null];
      return await listNodes({ nodes: parts.records.nodes, clock: parts.clock, hasNodes, grants });
    },
  };
}

async function renewJournal({ files, config, records }: OperationParts, actor: Actor): Promise<void> {
  if ((await findJournalProblems(config, records)).length === 0)
    throw new TollbookError(
      'conflict',
      `The journal ${files.journal} is there, so there is nothing to renew. If it is damaged, stop the service and move it aside first.`,
    );
  await records.journal.renew(actor);
}
