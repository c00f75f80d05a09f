import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../domain/time/units.ts';
import type { StoredRefusalAlert } from './alerts.ts';
import { readRefusalEpisode, refusalAlert } from './alerts.ts';
import { DAY, NOON, SampleEngine, sampleBudget, sampleLimit, sampleSubject } from './contract/sample-limits.ts';
import { RefusalEpisodes } from './refusal-episodes.ts';

const isOver = (text: string): boolean => text.startsWith('over ');

describe('a limit that refuses calls', () => {
  test('is alerted at its first refusal in a window, at any used share', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 100, { thresholds: [50] }));
    sample.spend(10);
    sample.refuse(95);
    sample.refuse(96);
    expect(sample.refused).toEqual([`refused:lim_1:${NOON - DAY / 2}:${NOON}:`]);
    sample.refuse(101, {}, DAY);
    expect(sample.refused).toHaveLength(2);
  });

  test('is over when a call that needs as much passes, not when a smaller one does', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 100));
    const open = sample.hold(10);
    sample.settle(open, 60);
    sample.refuse(50);
    sample.spend(5);
    expect(sample.refused.filter(isOver)).toEqual([]);
    sample.engine.put(sampleBudget('lim_1', 200), NOON);
    sample.spend(49);
    expect(sample.refused.filter(isOver)).toEqual([]);
    sample.spend(50);
    expect(sample.refused.slice(1)).toEqual([`over ${sample.refused[0]}`]);
    sample.spend(1);
    expect(sample.refused).toHaveLength(2);
  });

  test('is one alert when several nodes refuse calls before they hear of each other', () => {
    const [one, other] = [new SampleEngine(sampleBudget('lim_1', 100)), new SampleEngine(sampleBudget('lim_1', 100))];
    one.refuse(150);
    other.refuse(120, {}, MINUTE_MS);
    expect(other.refused).toEqual(one.refused);
    const later = new SampleEngine(sampleBudget('lim_1', 100));
    later.refuse(150, {}, HOUR_MS);
    expect(later.refused).not.toEqual(one.refused);
  });

  test('is alerted by one of the nodes that share it, and over when such a call passes on any of them', () => {
    const [one, other] = [new SampleEngine(sampleBudget('lim_1', 100)), new SampleEngine(sampleBudget('lim_1', 200))];
    one.refuse(150);
    const [episode = ''] = one.refused;
    const refusal = { keyId: 'key_a', model: 'claude-opus-4-5', needed: 150 / 1e9, isUsedUp: false };
    const alerted = {
      workspaceId: 'ws_a',
      limitId: 'lim_1',
      value: '',
      windowStart: NOON - DAY / 2,
      at: NOON,
      episode,
    };
    other.engine.refusalEpisodes.learn({ ...alerted, refusal, isOpen: true }, NOON);
    other.refuse(201);
    expect(other.refused).toEqual([]);
    other.spend(150);
    expect(other.refused).toEqual([`over ${episode}`]);
    one.engine.refusalEpisodes.learn({ ...alerted, refusal, isOpen: false }, NOON);
    one.engine.put(sampleBudget('lim_1', 500), NOON);
    one.spend(150);
    expect(one.refused).toEqual([episode]);
  });

  test('is alerted at most once an hour, also if calls passed meanwhile or a window of minutes ended', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 100, { window: 'minute' }));
    sample.refuse(101);
    sample.refuse(101, {}, MINUTE_MS);
    sample.engine.put(sampleBudget('lim_1', 200, { window: 'minute' }), NOON);
    sample.spend(150, {}, 2 * MINUTE_MS);
    sample.refuse(201, {}, 3 * MINUTE_MS);
    expect(sample.refused.filter((text) => !isOver(text))).toHaveLength(1);
    sample.refuse(201, {}, DAY);
    expect(sample.refused.filter((text) => !isOver(text))).toHaveLength(2);
  });

  test('that was alerted as used up within the hour takes the text of its first refusal, in the same episode', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 100, { thresholds: [] }));
    sample.spend(100);
    sample.refuse(1);
    sample.refuse(1);
    expect(sample.refused).toEqual([`limit:lim_1:100:100:${NOON - DAY / 2}:`]);
  });

  test('is alerted as refusing if the alert that it is used up is hours old', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 100, { thresholds: [] }));
    sample.spend(100);
    sample.refuse(1, {}, HOUR_MS);
    expect(sample.refused).toEqual([`refused:lim_1:${NOON - DAY / 2}:${NOON + HOUR_MS}:`]);
  });

  test('is alerted again after an hour in the same window once it is used up', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 100, { thresholds: [] }));
    sample.refuse(101);
    sample.spend(96);
    sample.refuse(50, {}, HOUR_MS - 1);
    expect(sample.refused).toHaveLength(1);
    sample.refuse(50, {}, HOUR_MS);
    sample.refuse(50, {}, 2 * HOUR_MS);
    expect(sample.refused).toHaveLength(2);
    expect(sample.crossed).toHaveLength(2);
  });

  test('counts each value of a tag as its own', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 100, { scope: { kind: 'each_tag', key: 'user' } }));
    for (const user of ['ann', 'bob', 'ann']) sample.refuse(101, { tags: { user } });
    expect(sample.refused.map((episode) => episode.split(':').at(-1))).toEqual(['ann', 'bob']);
  });

  test('whose refused call has no bound is over when a call of that key to that model passes', () => {
    const sample = new SampleEngine(sampleBudget('lim_1', 100));
    const [counter] = sample.engine.findCounters(sampleSubject(), NOON);
    if (!counter) throw new Error('The limit applies.');
    const refusal = { reason: 'unbounded', need: null, standing: counter.standing(NOON), help: '' } as const;
    sample.engine.noteRefusal(refusal, sampleSubject(), NOON);
    sample.spend(50, { keyId: 'key_b' });
    expect(sample.refused).toHaveLength(1);
    sample.spend(1);
    expect(sample.refused.at(-1)).toBe(`over ${sample.refused[0]}`);
  });

  test('is not alerted for a refusal that passes within seconds, nor for concurrent calls', () => {
    const sample = new SampleEngine(
      sampleBudget('lim_1', 100),
      sampleLimit('lim_2', { unit: 'concurrency', amount: 0, window: 'total', scope: { kind: 'key', keyId: 'key_b' } }),
    );
    sample.hold(60);
    sample.refuse(60);
    sample.refuse(0, { keyId: 'key_b' });
    expect(sample.refused).toEqual([]);
  });

  test('is known after a restart: neither alerted twice nor left open', () => {
    const before = new SampleEngine(sampleBudget('lim_1', 100));
    const alerts: StoredRefusalAlert[] = [];
    const [counter] = before.engine.findCounters(sampleSubject(), NOON);
    if (!counter) throw new Error('The limit applies.');
    const refusal = { reason: 'exceeds_limit', need: 150, standing: counter.standing(NOON), help: '' } as const;
    const episode = `refused:lim_1:${NOON - DAY / 2}:${NOON}:`;
    alerts.push({ ...refusalAlert(refusal, sampleSubject(), episode, false, NOON), resolvedAt: null });
    const after = new SampleEngine(sampleBudget('lim_1', 200));
    after.engine.refusalEpisodes.load(alerts.flatMap((alert) => readRefusalEpisode(alert) ?? []));
    after.refuse(201);
    expect(after.refused).toEqual([]);
    after.spend(150);
    expect(after.refused).toEqual([`over ${episode}`]);
  });
});

test('a limit has a bounded number of episodes, and new values are alerted again once old ones are a day old', () => {
  const episodes = new RefusalEpisodes();
  const refusal = { keyId: 'key_a', model: 'm', needed: 1, isUsedUp: false };
  const limit = sampleBudget('lim_1', 100);
  const standing = (value: string) => ({
    limit,
    value,
    windowStart: NOON,
    windowEnd: null,
    amount: 100,
    counted: 0,
    uncertain: 0,
    held: 0,
    left: 100,
  });
  for (let user = 0; user < 1_000; user += 1) episodes.note(standing(`${user}`), refusal, NOON);
  expect(episodes.mayNote(standing('late'), false, NOON)).toBe(false);
  expect(episodes.mayNote(standing('late'), false, NOON + DAY)).toBe(true);
});
