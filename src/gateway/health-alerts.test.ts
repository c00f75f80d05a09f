import { beforeEach, expect, test } from 'vitest';
import type { Alert } from '../domain/alerts/alert.ts';
import { createLog } from '../lib/log.ts';
import { HealthAlerts } from './health-alerts.ts';

let raised: Alert[];
let over: string[];
let logged: string[];
let now: number;
let timers: Set<() => void>;
let problems: HealthAlerts;
beforeEach(() => {
  raised = [];
  over = [];
  logged = [];
  now = 1_000;
  timers = new Set();
  problems = new HealthAlerts({
    clock: () => now,
    log: createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } }),
    raise: (alert) => void raised.push(alert),
    over: (episode) => void over.push(episode),
    scheduler: {
      soon: (act) => act(),
      later: (act) => {
        timers.add(act);
        return () => timers.delete(act);
      },
    },
  });
});

test('a node that shares its alerts with others names itself in them, and ends only its own', () => {
  const log = createLog({ level: 'fatal' });
  const common = { clock: () => now, log, raise: (alert: Alert) => void raised.push(alert) };
  for (const node of ['east', 'west']) {
    const health = new HealthAlerts({ ...common, node, over: (episode) => void over.push(episode) });
    health.report('journal', 'The disk is full.');
  }
  expect(raised.map(({ title }) => title)).toEqual(['Journal not working on east', 'Journal not working on west']);
  expect(new Set(raised.map(({ episode }) => episode)).size).toBe(2);
});

/** A part that is well stays so for long enough. */
function waitUntilWell(): void {
  const due = [...timers];
  timers.clear();
  for (const act of due) act();
}

const sentences = (): string[] => logged.map((line) => (JSON.parse(line) as { msg: string }).msg);

test('an episode is one alert, for any changes of its message; every message is logged once', () => {
  problems.report('journal', 'The disk is full.');
  problems.report('journal', 'The disk is full.');
  problems.report('journal', 'The disk reports errors.');
  problems.report('journal', 'The disk is full.');
  expect(problems.sentence('journal')).toBe('The disk is full.');
  problems.report('journal', null);
  expect(problems.sentence('journal')).toBeNull();
  waitUntilWell();
  expect(over).toEqual(raised.map(({ episode }) => episode));
  expect(raised).toMatchObject([{ type: 'JOURNAL_PROBLEM', severity: 'critical', message: 'The disk is full.' }]);
  expect(sentences()).toEqual(['The disk is full.', 'The disk reports errors.', 'the journal works again']);
});

test('a recurring problem, such as a nearly full disk, is one episode, logged once', () => {
  for (let times = 0; times < 50; times += 1) {
    problems.report('journal', 'The disk is full.');
    expect(problems.sentence('journal')).toBe('The disk is full.');
    problems.report('journal', null);
    expect(problems.sentence('journal')).toBeNull();
    now += 500;
  }
  expect(timers.size).toBe(1);
  expect([raised.length, over.length]).toEqual([1, 0]);
  waitUntilWell();
  expect([raised.length, over.length]).toEqual([1, 1]);
  expect(sentences()).toEqual(['The disk is full.', 'the journal works again']);
});

test('messages that never repeat are logged up to a maximum', () => {
  for (let times = 0; times < 500; times += 1) problems.report('ledger', `It failed for the ${times}th time.`);
  expect([raised.length, logged.length]).toEqual([1, 20]);
});

test('the next episode, and another component, raise separate alerts', () => {
  problems.report('journal', 'The disk is full.');
  problems.report('ledger', 'The ledger is locked.');
  problems.report('journal', null);
  waitUntilWell();
  now += 1;
  problems.report('journal', 'The disk is full.');
  expect(new Set(raised.map(({ episode }) => episode)).size).toBe(3);
  expect(raised.map(({ type, title }) => [type, title])).toEqual([
    ['JOURNAL_PROBLEM', 'Journal not working'],
    ['LEDGER_PROBLEM', 'Ledger not working'],
    ['JOURNAL_PROBLEM', 'Journal not working'],
  ]);
  expect(problems.sentence('ledger')).toBe('The ledger is locked.');
});

test('a closing service resolves what is over, and leaves lasting problems open', () => {
  problems.report('journal', 'The disk is full.');
  problems.report('ledger', 'The ledger is locked.');
  problems.report('journal', null);
  problems.close();
  expect(over).toEqual([raised[0]?.episode]);
  expect(timers.size).toBe(0);
});

test('lost refused calls are logged at each power of ten, and the alert has their number when it ends', () => {
  problems.report('journal', 'The disk is full.');
  for (let times = 0; times < 1_250; times += 1) problems.noteLostRefusals(1);
  expect(logged.slice(1).map((line) => (JSON.parse(line) as { calls: number }).calls)).toEqual([1, 10, 100, 1_000]);
  problems.report('journal', null);
  waitUntilWell();
  expect(raised.map(({ episode }) => episode)).toEqual([raised[0]?.episode, raised[0]?.episode]);
  expect(raised[1]?.message).toBe(
    'The journal works again. 1,250 calls that limits refused meanwhile are not recorded: too many waited for the journal.',
  );
  expect(over).toEqual([raised[0]?.episode]);
  expect(sentences().at(-1)).toBe('the journal works again; some refused calls are not recorded');
  problems.report('journal', 'The disk is full.');
  problems.report('journal', null);
  waitUntilWell();
  expect(sentences().at(-1)).toBe('the journal works again');
});
