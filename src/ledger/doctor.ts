import { existsSync } from 'node:fs';
import type { DoctorCheck } from '../api/installation.ts';
import { findJournalDamage } from '../journal/find-damage.ts';
import { recountLimits } from '../jobs/limit-counters.ts';
import { findJournalProblems } from './journal-problems.ts';
import { networkReason } from './network-reason.ts';
import { priceAge } from '../prices/price-age.ts';
import { type DataFiles, listJournals, openToOthers } from './data-folder.ts';
import { checkAddress, checkFreeSpace, checkVersion } from './doctor-machine.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { StorageEngine } from '../storage/engine.ts';
import type { Records } from '../storage/records/records.ts';
import { callsText } from '../domain/text/counts.ts';
import { formatDate } from '../domain/text/dates.ts';
import { toIso } from '../domain/time/period.ts';
import { nodeState } from '../storage/records/nodes.ts';

/** Maximum difference to a provider's clock: a wrong clock affects prices by date, and expiry. */
const CLOCK_OFF_MS_MAX = 60_000;
const ONLINE_MS_MAX = 5_000;

type RunCheck = () => DoctorCheck | Promise<DoctorCheck | readonly DoctorCheck[]>;

/** Checks the whole installation. A check that can't run fails, with the reason. */
export async function doctor(parts: OperationParts, online: boolean): Promise<DoctorCheck[]> {
  const checks: RunCheck[] = [
    () => checkVersion(),
    () => checkAddress(parts.config),
    () => checkFreeSpace(parts.files.folder),
    () => checkRights('folder', parts.files.folder),
    () => checkRights('secret', parts.files.secret, parts.config.secret !== null),
    () => parts.engine.check(parts.clock),
    () => checkJournals(parts),
    () => checkNodes(parts),
    () => checkAudit(parts),
    () => checkLimits(parts),
    () => checkPrices(parts),
    ...(await listProviderChecks(parts, online)),
  ];
  return (await Promise.all(checks.map(runGuarded))).flat();
}

async function runGuarded(check: RunCheck): Promise<DoctorCheck | readonly DoctorCheck[]> {
  try {
    return await check();
  } catch (error) {
    return { name: 'doctor', state: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

function checkRights(name: string, path: string, elsewhere = false): DoctorCheck {
  if (elsewhere) return { name, state: 'ok', message: 'The master secret comes from SVC_SECRET.' };
  if (!existsSync(path)) return { name, state: 'failed', message: `${path} is missing. Restore it from a backup.` };
  const open = openToOthers(path);
  if (open !== null) return { name, state: 'warning', message: open };
  return { name, state: 'ok', message: `${path} is open to its owner only.` };
}

async function checkJournals({ files, config, records }: OperationParts): Promise<readonly DoctorCheck[]> {
  const name = 'journal';
  const problems = await findJournalProblems(config, records);
  const known = listJournals(config).filter(({ folder }) => !problems.some((problem) => problem.folder === folder));
  const checks = await Promise.all(known.map(({ folder }) => checkJournal(folder)));
  const missing = problems.map(({ sentence }) => ({ name, state: 'failed', message: sentence }) as const);
  if (checks.length + missing.length > 0) return [...checks, ...missing];
  return [{ name, state: 'skipped', message: `${files.journal} is not there yet.` }];
}

async function checkJournal(folder: string): Promise<DoctorCheck> {
  const damage = await findJournalDamage(folder);
  if (damage === null) return { name: 'journal', state: 'ok', message: `${folder} is intact.` };
  return { name: 'journal', state: 'failed', message: damage };
}

/** Names nodes that died: only their journals have their last calls. */
async function checkNodes({ records, engine, clock }: OperationParts): Promise<readonly DoctorCheck[]> {
  const now = clock();
  const nodes = await records.nodes.list();
  if (engine.leases === null) return [];
  const silent = nodes.filter((node) => nodeState(node, now, true) === 'silent');
  if (silent.length === 0) return [{ name: 'nodes', state: 'ok', message: 'No node is silent.' }];
  return silent.map(({ id, name, seenAt, unshippedCalls }) => ({
    name: 'nodes',
    state: 'warning',
    message:
      `The node ${name} was not stopped and is silent since ${toIso(seenAt)}, with ${callsText(unshippedCalls)} or more that ` +
      `only its journal has. Start it again on its data folder, or forget it: tollbook nodes forget ${id}`,
  }));
}

async function checkAudit({ records }: OperationParts): Promise<DoctorCheck> {
  const verdict = await records.audit.verify();
  if (verdict.ok) return { name: 'audit', state: 'ok', message: `The audit log is intact (${verdict.rows} rows).` };
  return {
    name: 'audit',
    state: 'failed',
    message: `The audit log was changed at row ${verdict.seq}: ${verdict.reason}`,
  };
}

async function checkLimits({ records, engine, clock }: OperationParts): Promise<DoctorCheck> {
  const { compared, differences } = await recountLimits({ records, counters: engine.store.counters, clock });
  const name = 'limits';
  const [first] = differences;
  if (!first) return { name, state: 'ok', message: `All limits match their calls (${compared} compared).` };
  const { limit, counted, expected } = first;
  return {
    name,
    state: 'failed',
    message: `${differences.length} limits don't match their calls: ${limit.id} counts ${counted}, its calls sum to ${expected} (${limit.unit}). Please report this.`,
  };
}

/** Warns about price lists so old that some prices have probably changed. */
export function checkPrices({
  prices,
  config,
  clock,
}: Pick<OperationParts, 'prices' | 'clock'> & {
  readonly config: Pick<OperationParts['config'], 'pricesUrl'>;
}): DoctorCheck {
  const { checkedAt, ageDays: days, isOld } = priceAge(prices.checkedAt(), clock());
  const age = `Prices were last checked on ${formatDate(checkedAt, 'UTC')}, ${days} days ago.`;
  if (!isOld) return { name: 'prices', state: 'ok', message: age };
  const advice =
    config.pricesUrl === null
      ? 'Update Tollbook, or let SVC_PRICES_URL name a list that is kept current.'
      : `Nothing was fetched from ${config.pricesUrl} since; run: tollbook prices refresh`;
  return { name: 'prices', state: 'warning', message: `${age} Some have probably changed. ${advice}` };
}

/** Returns checks of the providers that have a wrapped key. */
async function listProviderChecks({ providers, records, clock }: OperationParts, online: boolean): Promise<RunCheck[]> {
  if (!online)
    return [() => ({ name: 'providers', state: 'skipped', message: 'No provider was contacted; use --online.' })];
  const used = new Set((await records.keys.listForGateway()).map(({ provider }) => provider));
  if (used.size === 0)
    return [
      () => ({
        name: 'providers',
        state: 'skipped',
        message: 'No provider was contacted: there is no wrapped key yet.',
      }),
    ];
  return [...providers.values()]
    .filter(({ id }) => used.has(id))
    .map(
      ({ name, url }) =>
        () =>
          checkProvider(name, url, clock()),
    );
}

async function checkProvider(name: string, url: string, now: number): Promise<DoctorCheck> {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(ONLINE_MS_MAX) });
    await answer.body?.cancel();
    const offMs = Math.abs(Date.parse(answer.headers.get('date') ?? '') - now);
    if (offMs > CLOCK_OFF_MS_MAX)
      return { name, state: 'warning', message: `The clock here is ${Math.round(offMs / 1_000)} s off from ${url}.` };
    return { name, state: 'ok', message: `${url} answers.` };
  } catch (error) {
    return { name, state: 'warning', message: `${url} can't be reached from here (${networkReason(error)}).` };
  }
}

/** Dependencies of operations on the installation. */
export interface OperationParts {
  readonly config: Config;
  readonly files: DataFiles;
  readonly engine: StorageEngine;
  readonly records: Records;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly prices: Pick<PriceBook, 'checkedAt'>;
  readonly clock: Clock;
}
