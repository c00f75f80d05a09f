import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFiles } from '../../src/ledger/data-folder.ts';
import { openEngine } from '../../src/storage/open.ts';
import { openRecords, type Records } from '../../src/storage/records/records.ts';
import type { RecordDb } from '../../src/storage/records/tables.ts';
import { seeded } from '../seeded.ts';
import { SECRET } from './alerts.ts';
import { heals, type Receiver, startReceivers } from './receivers.ts';
import { DEFAULT_WORKSPACE } from '../../src/storage/records/context.ts';
import type { Webhook } from '../../src/storage/records/webhooks.ts';

const SENDER = join(import.meta.dirname, 'sender.ts');
/** The sender's time runs so much faster, so that waits of minutes are seconds. */
const SPEED = 20;
const LOOK_MS = 50;
/** Share of all that is taken by then. */
const LAST_KILL = 0.8;

export interface TortureOptions {
  readonly alerts: number;
  readonly receivers: number;
  readonly kills: number;
  readonly seed: number;
  readonly secondsMax: number;
  readonly onProgress?: (done: number, of: number, killed: number) => void;
}

export interface Tortured {
  readonly kills: number;
  /** What receivers that heal said they took, repetitions included. */
  readonly taken: number;
  /** Sentences: what should not be. */
  readonly faults: readonly string[];
  /** The most that any receiver took twice. */
  readonly repeatedMax: number;
  readonly disabled: number;
  readonly seconds: number;
}

/** Alerts to receivers that misbehave, from a process that is killed again and again. */
export async function torture(options: TortureOptions): Promise<Tortured> {
  const random = seeded(options.seed);
  const folder = await mkdtemp(join(tmpdir(), 'tollbook-deliveries-'));
  const receivers = await startReceivers(options.receivers, random);
  const began = performance.now();
  try {
    await withRecords(folder, (records) => makeWebhooks(records, receivers));
    const kills = await drive(folder, receivers, options, random);
    const seconds = (performance.now() - began) / 1_000;
    return await withRecords(folder, async (records, db) => {
      const webhooks = await records.webhooks.list(DEFAULT_WORKSPACE);
      const unanswered = await unansweredBy(db);
      const mayRepeat = webhooks.map(({ id }) => kills + (unanswered.get(id) ?? 0));
      return { kills, seconds, ...judge(webhooks, receivers, options.alerts, mayRepeat) };
    });
  } finally {
    for (const receiver of receivers) receiver.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function withRecords<T>(folder: string, work: (records: Records, db: RecordDb) => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
  const engine = await openEngine({ databaseUrl: null, file: dataFiles(folder).database, synchronous: 'normal' });
  try {
    const records = await openRecords({ db: engine.db, dataDir: folder, secret: SECRET, clock: Date.now });
    return await work(records, engine.db);
  } finally {
    await engine.close();
  }
}

async function makeWebhooks(records: Records, receivers: readonly Receiver[]): Promise<void> {
  for (const [index, { url, secret }] of receivers.entries())
    await records.webhooks.create(
      {
        workspaceId: DEFAULT_WORKSPACE,
        name: `receiver ${index}`,
        url,
        type: 'CUSTOM',
        events: ['COST_SPIKE'],
        secret,
        digest: 'off',
      },
      'owner',
    );
}

/** Runs the sender until all that can be taken is, and kills it on the way; returns how often. */
async function drive(
  folder: string,
  receivers: readonly Receiver[],
  { alerts, kills, secondsMax, onProgress }: TortureOptions,
  random: () => number,
): Promise<number> {
  const healing = receivers.filter(({ manner }) => heals(manner));
  const all = healing.length * alerts;
  // Not so late that the sender is done before.
  const marks = Array.from({ length: kills }, () => random() * all * LAST_KILL).toSorted((a, b) => a - b);
  const giveUpAt = performance.now() + secondsMax * 1_000;
  let killed = 0;
  let sender = start(folder, alerts);
  try {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      const done = healing.reduce((sum, { taken }) => sum + taken.size, 0);
      onProgress?.(done, all, killed);
      if (done === all || performance.now() > giveUpAt) return killed;
      if (sender.exitCode !== null) throw new Error(`The sender ended by itself (${sender.exitCode}).`);
      if (done < (marks[killed] ?? Infinity)) continue;
      await end(sender);
      killed += 1;
      sender = start(folder, alerts);
    }
  } finally {
    await end(sender);
  }
}

function start(folder: string, alerts: number): ChildProcess {
  return spawn(process.execPath, [SENDER, folder, String(alerts), String(SPEED)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function end(sender: ChildProcess): Promise<void> {
  if (sender.exitCode !== null) return;
  sender.kill('SIGKILL');
  await once(sender, 'exit');
}

/** How often a webhook was given no answer in time: it may have taken the message, and is asked again. */
async function unansweredBy(db: RecordDb): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('delivery_attempts')
    .innerJoin('deliveries', 'deliveries.id', 'delivery_attempts.delivery_id')
    .select(({ fn }) => ['deliveries.webhook_id', fn.countAll<number>().as('count')])
    .where('delivery_attempts.status', 'is', null)
    .groupBy('deliveries.webhook_id')
    .execute();
  return new Map(rows.map(({ webhook_id, count }) => [webhook_id, count]));
}

/** `mayRepeat`: how often each receiver may have taken a message again. */
function judge(
  webhooks: readonly Webhook[],
  receivers: readonly Receiver[],
  alerts: number,
  mayRepeat: readonly number[],
) {
  const faults: string[] = [];
  let taken = 0;
  let repeatedMax = 0;
  for (const [index, receiver] of receivers.entries()) {
    const name = `receiver ${index} (${receiver.manner})`;
    const repeated = [...receiver.taken.values()].reduce((sum, times) => sum + times - 1, 0);
    repeatedMax = Math.max(repeatedMax, repeated);
    taken += receiver.taken.size + repeated;
    if (receiver.forged.length > 0) faults.push(`${name} got ${receiver.forged.length} messages wrongly signed`);
    const most = mayRepeat[index] ?? 0;
    if (repeated > most) faults.push(`${name} took ${repeated} messages again, and ${most} are explained`);
    if (!heals(receiver.manner)) continue;
    if (receiver.taken.size !== alerts) faults.push(`${name} took ${receiver.taken.size} of ${alerts} alerts`);
    const inOrder = receiver.order.every((title, place) => title === String(place));
    if (receiver.manner === 'well' && !inOrder) faults.push(`${name} got its alerts in another order`);
  }
  const disabled = webhooks.filter(({ enabled }) => !enabled);
  const wrongly = disabled.filter(({ name }) => receivers[Number(name.split(' ')[1])]?.manner !== 'gone');
  for (const { name } of wrongly) faults.push(`${name} was disabled and should not be`);
  return { taken, repeatedMax, faults, disabled: disabled.length };
}
