import { onTestFinished } from 'vitest';
import { LiveStreams } from '../../src/api/live-streams.ts';
import type { GatewayNotices } from '../../src/api/gateway-notices.ts';
import type { MessageToGateway } from '../../src/ipc/messages.ts';
import { ChangedContracts, ChangedPrices } from '../../src/jobs/reprice.ts';
import { CallAnnouncer, publishNews } from '../../src/ledger/announce-calls.ts';
import { applyChange } from '../../src/ledger/apply-change.ts';
import { ChangeFollower } from '../../src/ledger/follow-changes.ts';
import { GatewayUpdates } from '../../src/ledger/send-to-gateway.ts';
import { publishAlerts } from '../../src/ledger/live-events.ts';
import { createGatewayNotices } from '../../src/ledger/notify-gateway.ts';
import { silentLog } from '../../src/lib/log.ts';
import { createPriceBook } from '../../src/prices/price-book.ts';
import { PostgresChanges } from '../../src/storage/postgres/postgres-changes.ts';
import { openPostgresDatabase, type PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';
import { openRecords, type Records } from '../../src/storage/records/records.ts';
import { temporaryFolder, TEST_SECRET } from '../support/temporary-records.ts';
import { SimulatedTime } from '../simulation/time.ts';
import { NOW } from '../test-ledger.ts';

/** The parts of a node that its records need, with what it sends its gateway and its streams. */
export interface PostgresNode extends PostgresDatabase {
  readonly records: Records;
  readonly notices: GatewayNotices;
  readonly follower: ChangeFollower;
  readonly announcer: CallAnnouncer;
  readonly feed: PostgresChanges;
  /** Messages to its gateway. */
  readonly sent: MessageToGateway[];
  /** Events of its streams. */
  readonly events: [name: string, data: unknown][];
  /** Timers run when the test lets time pass. */
  readonly time: SimulatedTime;
}

const CONNECTIONS = 5;

/** Opens a node on a database, which other nodes may use too. */
export async function openPostgresNode(url: string): Promise<PostgresNode> {
  const database = await openPostgresDatabase(url, CONNECTIONS);
  const time = new SimulatedTime(NOW);
  const clock = (): number => time.wall;
  const options = { dataDir: temporaryFolder(), secret: TEST_SECRET, shared: true, clock };
  const records = await openRecords({ db: database.db, ...options });
  const feed = new PostgresChanges(database.pool, url);
  const log = silentLog;
  const sent: MessageToGateway[] = [];
  const events: PostgresNode['events'] = [];
  const live = new LiveStreams(clock);
  live.send = (_, name, data) => void events.push([name, data]);
  const updates = new GatewayUpdates({
    records,
    prices: createPriceBook(),
    live,
    send: (message) => void sent.push(message),
    reloadProviders: async () => {},
    reloadFetchedPrices: async () => {},
  });
  const publish: Parameters<typeof applyChange>[0]['publish'] = (alert, change) =>
    publishAlerts([alert], change, { records, live, log });
  const follower = new ChangeFollower(
    {
      feed,
      apply: (change) => applyChange({ records, updates, live, publish }, change),
      reload: () => updates.all(),
      news: (news) => publishNews(news, live),
      recalled: () => {},
      log,
      scheduler: time,
    },
    await feed.last(),
  );
  const notices = createGatewayNotices({
    hasGateway: true,
    records,
    store: NO_STORE,
    updates,
    applyChanges: () => follower.caughtUp(),
    publishRead: () => {},
    log,
    changedPrices: new ChangedPrices(),
    changedContracts: new ChangedContracts(),
    poke: () => {},
    waitUntilApplied: async () => true,
    waitUntilInForce: async () => true,
  });
  const announcer = new CallAnnouncer({ feed, log, scheduler: time });
  follower.start();
  onTestFinished(async () => {
    await follower.close();
    await feed.close();
    await database.close();
  });
  return { ...database, records, notices, follower, announcer, feed, sent, events, time };
}

/** Tests that need the store have a ledger. */
const NO_STORE = {} as Parameters<typeof createGatewayNotices>[0]['store'];
