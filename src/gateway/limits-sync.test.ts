import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SimulatedTime } from '../../test/simulation/time.ts';
import type { LimitMessageToLedger } from '../ipc/messages.ts';
import { limitOf } from '../storage/contract/counters-contract.ts';
import { LimitsSync } from './limits-sync.ts';

const NOW = 1_790_000_000_000;
const LIMIT = limitOf({ window: 'total', countsPast: false });
const COUNTED = { counter: LIMIT.counter, windowStart: 0, value: '', counted: 700, uncertain: 0 };

function openSync(problem: string | null = null): {
  limits: LimitsSync;
  time: SimulatedTime;
  sent: LimitMessageToLedger[];
  isBackfilled: () => Promise<boolean>;
} {
  const time = new SimulatedTime(NOW);
  const sent: LimitMessageToLedger[] = [];
  const limits = new LimitsSync({
    snapshot: { limits: [LIMIT], counters: [], newestCallAt: 0, overruns: [], statedRatios: [], refusals: [] },
    wall: () => time.wall,
    uptime: () => time.uptime,
    journal: { endSeq: 7, problem },
    shippedMark: () => 0,
    send: (message) => sent.push(message),
    raise: () => {},
    over: () => {},
    mainWorkspace: LIMIT.workspaceId,
    scheduler: time,
  });
  limits.open();
  let done = false;
  void limits.backfilled().then(() => (done = true));
  const isBackfilled = async (): Promise<boolean> => {
    await setImmediate();
    return done;
  };
  return { limits, time, sent, isBackfilled };
}

test('after a start, a limit without its backfill is counted before it admits calls', async () => {
  const { limits, time, sent, isBackfilled } = openSync();
  expect(sent).toMatchObject([{ type: 'limit-installed', counter: LIMIT.counter, endSeq: 7 }]);
  expect(await isBackfilled()).toBe(false);
  limits.receive({ type: 'limit-backfilled', counter: LIMIT.counter, counters: [COUNTED] });
  time.pass(1_000);
  expect(await isBackfilled()).toBe(true);
  expect(limits.engine.standings([LIMIT.id], NOW, 1)).toMatchObject([{ counted: 700 }]);
});

test('a limit that is removed before its backfill keeps no start waiting', async () => {
  const { limits, time, isBackfilled } = openSync();
  limits.receive({ type: 'limit-removed', id: LIMIT.id });
  time.pass(1_000);
  expect(await isBackfilled()).toBe(true);
});

test('a journal that refuses all calls keeps no start waiting', async () => {
  expect(await openSync('The disk is full.').isBackfilled()).toBe(true);
});
