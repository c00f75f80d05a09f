import { expect, test } from 'vitest';
import { CALM_HOURS, COOLDOWN_HOURS, type Episode, keepEpisodes } from './episodes.ts';
import type { Finding } from './finding.ts';
import { WHOLE_WORKSPACE } from './series.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 5);

function finding(hour: number, change: Partial<Finding> = {}): Finding {
  const at = START + hour * HOUR;
  return {
    type: 'COST_SPIKE',
    kind: 'cost',
    severity: 'warning',
    scope: WHOLE_WORKSPACE,
    name: 'the workspace',
    at,
    from: at,
    to: at + HOUR,
    unit: 'usd',
    observed: 30,
    expected: 10,
    threshold: 20,
    factor: 3,
    excessNano: 20,
    basis: 'hour_of_day',
    comparable: 28,
    strength: 2,
    text: 'Spent.',
    movers: [],
    also: [],
    covers: [],
    ...change,
  };
}

function run(hours: readonly (readonly Finding[])[], from = 0): { opened: string[]; episodes: readonly Episode[] } {
  let episodes: readonly Episode[] = [];
  const opened: string[] = [];
  hours.forEach((findings, hour) => {
    const step = keepEpisodes(episodes, findings, START + (from + hour + 1) * HOUR);
    episodes = step.episodes;
    opened.push(...step.opened.map(({ key }) => key));
  });
  return { opened, episodes };
}

const calm = (hours: number): (readonly Finding[])[] => Array.from({ length: hours }, () => []);

test('consecutive hours are one episode, named by its first hour', () => {
  const { opened, episodes } = run([[finding(0)], [finding(1)], [finding(2)]]);
  expect(opened).toEqual(['cost_spike/workspace/2026-01-05T00']);
  expect(episodes).toMatchObject([{ lastAt: START + 3 * HOUR, resolvedAt: null }]);
});

test('adding the same hour twice changes nothing', () => {
  const once = keepEpisodes([], [finding(0)], START + HOUR);
  const twice = keepEpisodes(once.episodes, [finding(0)], START + HOUR);
  expect(twice.episodes).toEqual(once.episodes);
  expect([...twice.opened, ...twice.worsened, ...twice.reopened, ...twice.resolved]).toEqual([]);
});

test('an episode is resolved after calm hours, and for a while it is reopened instead of replaced', () => {
  const gap = CALM_HOURS + 1;
  const { opened, episodes } = run([[finding(0)], ...calm(gap)]);
  expect(episodes[0]?.resolvedAt).toBe(START + (CALM_HOURS + 1) * HOUR);
  const again = keepEpisodes(episodes, [finding(gap + 1)], START + (gap + 2) * HOUR);
  expect(again.opened).toEqual([]);
  expect(again.reopened.map(({ key }) => key)).toEqual(opened);
  const later = keepEpisodes(episodes, [finding(COOLDOWN_HOURS + 2)], START + (COOLDOWN_HOURS + 3) * HOUR);
  expect(later.opened).toHaveLength(1);
});

test('a higher severity or several times the amount is alerted again; a small rise is not', () => {
  const { episodes } = run([[finding(0)]]);
  const step = (change: Partial<Finding>): number =>
    keepEpisodes(episodes, [finding(1, change)], START + 2 * HOUR).worsened.length;
  expect(step({ severity: 'critical' })).toBe(1);
  expect(step({ excessNano: 200 })).toBe(1);
  expect(step({ excessNano: 40 })).toBe(0);
});

test('a part explained by the reported whole, or a whole moved by a reported part, is the same episode', () => {
  const key = { kind: 'key', id: 'ci', tag: '' } as const;
  const whole = run([[finding(0, { covers: ['key:ci'] })], [finding(1, { scope: key })]]);
  expect(whole.opened).toEqual(['cost_spike/workspace/2026-01-05T00']);
  const part = run([[finding(0, { scope: key })], [finding(1, { covers: ['key:ci'] })]]);
  expect(part.opened).toEqual(['cost_spike/key:ci/2026-01-05T00']);
});

test('errors and drops are never part of an episode of spend', () => {
  const drop = finding(1, { type: 'UNUSUAL_ACTIVITY', kind: 'drop', severity: 'info' });
  expect(run([[finding(0)], [drop]]).opened).toHaveLength(2);
  expect(run([[finding(0)], [finding(1, { type: 'ERROR_SPIKE', kind: 'errors' })]]).opened).toHaveLength(2);
});
