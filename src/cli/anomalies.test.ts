import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ran, runLine, wideLines } from '../../test/run-line.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { BacktestShape, MuteShape } from '../contract/anomalies.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Monday. */
const BEGIN = Date.UTC(2026, 0, 5);

/** Ten weeks of a team by day, with one hour that costs what a week does. */
function csv(spikeAt: number): string {
  const lines = ['time,cost,calls,failed'];
  for (let hour = BEGIN, i = 0; hour < BEGIN + 70 * DAY; hour += HOUR, i += 1) {
    const usual = (1.5 + Math.sin((hour / DAY) * 2 * Math.PI)) * (1 + 0.1 * Math.sin(i * 12.9898));
    const cost = hour === spikeAt ? 200 : usual;
    lines.push(`${new Date(hour).toISOString()},${cost.toFixed(6)},${Math.round(usual * 10)},0`);
  }
  return lines.join('\n');
}

async function good(line: string, env: Record<string, string>, stdin = ''): Promise<Ran> {
  const ran = await runLine(line, { env, stdin });
  const wide = line.includes('--json') ? [] : wideLines(ran);
  expect([ran.code, ran.err, wide]).toEqual([0, '', []]);
  return ran;
}

describe('a backtest of a file', () => {
  const spikeAt = BEGIN + 50 * DAY + 10 * HOUR;
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'anomalies-'));
    writeFileSync(join(folder, 'spend.csv'), csv(spikeAt));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('needs no service and no data folder, and reports when and what', async () => {
    const { out } = await good(`anomalies --backtest --file ${join(folder, 'spend.csv')}`, {});
    expect(out).toMatch(/^5 Jan 2026, 00:00 to 16 Mar 2026, 00:00 UTC, sensitivity normal\n1 episode would have been/);
    expect(out).toMatch(/24 Feb 2026, 10:00 +\d+ h +(warning|critical) +COST_SPIKE/);
    expect(out).toContain('\n  spend.csv spent $200.');
  });

  test('reads standard input too, as JSON, for a part of the time', async () => {
    const whole = JSON.parse(
      (await good('anomalies --backtest --file - --json', {}, csv(spikeAt))).out,
    ) as BacktestShape;
    expect(whole.episodes).toMatchObject([
      { openedAt: new Date(spikeAt).toISOString(), opening: { type: 'COST_SPIKE', value: expect.any(Number) } },
    ]);
    const part = await good('anomalies --backtest --file - --to 2026-02-20 --json', {}, csv(spikeAt));
    expect(JSON.parse(part.out)).toMatchObject({ episodes: [], period: { end: '2026-02-21T00:00:00.000Z' } });
  });

  test('reports too little history instead of no findings', async () => {
    const lines = csv(spikeAt).split('\n');
    const short = await good('anomalies --backtest --file -', {}, lines.slice(0, 30).join('\n'));
    expect(short.out).toMatch(
      /Not enough history: usage began 5\sJan\s2026,\s00:00\sUTC, and\s+normal\s+usage\s+is\s+known\s+after 2 days\./,
    );
    const longer = await good('anomalies --backtest --file -', {}, lines.slice(0, 241).join('\n'));
    expect(longer.out).toMatch(
      /0 episodes would have been reported in 8 days, 0\.0 a week\. Before\s7\sJan\s2026,\s00:00\sUTC: not enough history\./,
    );
  });

  test('says that the hours of a file of days are days', async () => {
    const days = csv(spikeAt)
      .split('\n')
      .filter((line, at) => at === 0 || line.includes('T00:00'));
    expect((await good('anomalies --backtest --file -', {}, days.join('\n'))).out).toContain(
      'The file has one line per day',
    );
    expect((await good('anomalies --backtest --file -', {}, csv(spikeAt))).out).not.toContain('one line per day');
  });

  test('applies the minimum amount of a spike', async () => {
    const { out } = await good('anomalies --backtest --file - --minimum 500', {}, csv(spikeAt));
    expect(out).toContain('0 episodes would have been reported in 68 days');
  });

  test.each([
    ['anomalies --backtest --file /nowhere/at/all.csv', '', "can't be read (ENOENT)"],
    ['anomalies --backtest --file -', 'when,what', 'first line must name the columns'],
    ['anomalies --backtest --file - --time-zone Mars/North', 'time,cost\n2026-01-01,1', 'is not a time zone'],
    ['anomalies --file x.csv', '', '--file needs --backtest'],
    ['anomalies --sensitivity high', '', 'tollbook anomalies settings'],
    ['anomalies setings', '', 'Unknown argument "setings"'],
  ])('%s is refused with what to do', async (line, stdin, sentence) => {
    const { code, err } = await runLine(line, { env: {}, stdin });
    expect([code, err]).toEqual([1, expect.stringContaining(sentence)]);
  });
});

describe('the ledger', () => {
  let it: TestLedger;
  let keyId: string;
  beforeAll(async () => {
    it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
    keyId = (await it.createKey('search')).id;
    await it.ledger.close();
  });
  afterAll(() => it.close());

  test('reports too little history, and a backtest without findings says so', async () => {
    expect((await good('anomalies', it.env)).out).toContain('no call has gone through the gateway yet');
    expect((await good('anomalies --backtest', it.env)).out).toContain('Not enough history: no usage');
    expect(JSON.parse((await good('anomalies --json', it.env)).out)).toMatchObject({ enabled: true, anomalies: [] });
  });

  test('stores the sensitivity', async () => {
    expect((await good('anomalies settings', it.env)).out).toBe(
      'Sensitivity: normal\nIgnored:     less than $1.00 above normal\n',
    );
    await good('anomalies settings --sensitivity high --minimum 2.50', it.env);
    expect((await good('anomalies settings', it.env)).out).toMatch(/high\n.*\$2\.50/);
  });

  test('mutes by name, lists mutes with their reasons, and unmutes', async () => {
    expect((await good('alerts mutes', it.env)).out).toContain('Nothing is muted');
    const line = `alerts mute --type cost_spike --key search --tag team=ads --for 7d --reason 'a load test' --json`;
    const now = Date.now() + DAY;
    const { out } = await runLine(line, { env: it.env, clock: () => now });
    const mute = JSON.parse(out) as MuteShape;
    expect(mute).toMatchObject({ type: 'COST_SPIKE', scope: { key: keyId, 'tag:team': 'ads' }, reason: 'a load test' });
    expect(Date.parse(mute.until ?? '')).toBe(now + 7 * DAY);
    const listed = (await good('alerts mutes', it.env)).out;
    expect(listed).toContain(`key ${keyId}, team=ads`);
    expect(listed).toContain('a load test');
    expect((await good(`alerts unmute ${mute.id}`, it.env)).out).toContain('Unmuted: COST_SPIKE');
    expect((await good('alerts mutes', it.env)).out).toContain('Nothing is muted');
  });

  test.each([
    ['alerts mute --type journal_problem --reason x', "can't be muted"],
    ['alerts mute --key nobody --reason x', 'No wrapped key "nobody"'],
    ['alerts mute --for soon --reason x', 'is not a duration'],
    ['alerts unmute mu_none', 'There is no mute "mu_none"'],
  ])('%s is refused', async (line, sentence) => {
    const { code, err } = await runLine(line, { env: it.env });
    expect([code, err]).toEqual([1, expect.stringContaining(sentence)]);
  });
});
