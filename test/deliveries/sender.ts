// A process that raises alerts and delivers them, in a time of its own that runs faster: it may be killed at any moment.
// `node sender.ts FOLDER ALERTS SPEED`; webhooks are those of the folder.
import { DeliveryService } from '../../src/ledger/delivery-service.ts';
import { dataFiles } from '../../src/ledger/data-folder.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { openEngine } from '../../src/storage/open.ts';
import { newRunnerId } from '../../src/storage/records/runner.ts';
import { openRecords } from '../../src/storage/records/records.ts';
import { alertNumber, BEGIN, SECRET } from './alerts.ts';
import { DEFAULT_WORKSPACE } from '../../src/storage/records/context.ts';

/** In real time. A claim of 60 s, which runs in fast time, must outlast it. */
const SEND_MS_MAX = 2_000;
const TICK_MS = 20;
const RAISED_AT_ONCE = 20;

const [folder = '', alerts = '0', speed = '1'] = process.argv.slice(2);
const config = readConfig({ SVC_DATA_DIR: folder, SVC_WEBHOOK_ALLOW: '127.0.0.0/8' });
const engine = await openEngine({ databaseUrl: null, file: dataFiles(folder).database, synchronous: 'normal' });
const clock = (): number => BEGIN + Math.floor((Date.now() - BEGIN) * Number(speed));
const records = await openRecords({ db: engine.db, dataDir: folder, secret: SECRET, clock });
const desk = new DeliveryService({
  records,
  config,
  clock,
  runner: newRunnerId('node', clock),
  log: createLog({ level: 'error' }),
  sendLimits: { connectMsMax: SEND_MS_MAX, totalMsMax: SEND_MS_MAX },
});
await records.deliveries.free(null);

let raised = (
  await records.alerts.list(DEFAULT_WORKSPACE, { limit: Number.MAX_SAFE_INTEGER, unreadOnly: false })
).filter(({ type }) => type === 'COST_SPIKE').length;
for (;;) {
  for (let more = 0; more < RAISED_AT_ONCE && raised < Number(alerts); more += 1) {
    await records.alerts.raise(alertNumber(raised, clock()));
    raised += 1;
  }
  desk.start();
  await new Promise((resolve) => setTimeout(resolve, TICK_MS));
}
