import { expect, test } from 'vitest';
import type { LimitScope } from '../domain/limits/limit.ts';
import { sampleLimit, NOON, sampleSubject } from './contract/sample-limits.ts';
import { ScopeIndex } from './scope-index.ts';
import { CounterSeries } from './counter-series.ts';

const budget = { counters: 0, max: 1_000_000 };

function seriesOf(number: number, scope: LimitScope): CounterSeries {
  return new CounterSeries(sampleLimit(`lim_${number}`, { scope, window: 'total' }), NOON, budget);
}

function found(scopes: ScopeIndex, subject = sampleSubject()): string[] {
  const series: CounterSeries[] = [];
  scopes.find(subject, series);
  return series.map(({ limit }) => limit.id).toSorted();
}

const ALL: readonly LimitScope[] = [
  { kind: 'workspace' },
  { kind: 'key', keyId: 'key_a' },
  { kind: 'provider', provider: 'anthropic' },
  { kind: 'model', pattern: 'claude-*' },
  { kind: 'tag', key: 'team', value: 'red' },
  { kind: 'each_tag', key: 'team' },
];

test('a call is found by each of its properties', () => {
  const scopes = new ScopeIndex();
  ALL.forEach((scope, index) => scopes.add(seriesOf(index, scope)));
  expect(found(scopes, sampleSubject({ tags: { team: 'red' } }))).toEqual([
    'lim_0',
    'lim_1',
    'lim_2',
    'lim_3',
    'lim_4',
    'lim_5',
  ]);
  expect(
    found(scopes, sampleSubject({ keyId: 'key_b', provider: 'openai', model: 'gpt-5', pricedModel: 'gpt-5' })),
  ).toEqual(['lim_0', 'lim_5']);
  expect(found(scopes, sampleSubject({ tags: { team: 'blue' } }))).not.toContain('lim_4');
});

test('a limit on a model finds calls that the model may answer or that may use it, each once', () => {
  const scopes = new ScopeIndex();
  const patterns = ['claude-opus-*', 'claude-*', 'gpt-*'];
  patterns.forEach((pattern, index) => scopes.add(seriesOf(index, { kind: 'model', pattern })));
  const otherModels = [
    { model: 'claude-opus-5', pricedModel: null },
    { model: 'claude-haiku-4-5', pricedModel: null },
  ];
  const subject = { model: 'claude-haiku-4-5', pricedModel: 'claude-haiku-4-5' };
  expect(found(scopes, sampleSubject({ ...subject, otherModels }))).toEqual(['lim_0', 'lim_1']);
  expect(found(scopes, sampleSubject(subject))).toEqual(['lim_1']);
  expect(found(scopes, sampleSubject({ ...subject, anyModel: true }))).toEqual(['lim_0', 'lim_1', 'lim_2']);
});

test('removed limits are not found', () => {
  const scopes = new ScopeIndex();
  const series = ALL.map((scope, index) => seriesOf(index, scope));
  for (const each of series) scopes.add(each);
  expect(scopes.size).toBe(6);
  for (const each of series) scopes.remove(each);
  expect([scopes.size, found(scopes, sampleSubject({ tags: { team: 'red' } }))]).toEqual([0, []]);
});

test('among 100,000 limits a call reads only its own', () => {
  const scopes = new ScopeIndex();
  let looks = 0;
  /** Notes that somebody looked at it. */
  class WatchedSeries extends CounterSeries {
    override counterAt(...at: Parameters<CounterSeries['counterAt']>): ReturnType<CounterSeries['counterAt']> {
      looks += 1;
      return super.counterAt(...at);
    }
  }
  const scopeOf = [
    (number: number): LimitScope => ({ kind: 'key', keyId: `key_${number}` }),
    (number: number): LimitScope => ({ kind: 'tag', key: 'user', value: `${number}` }),
    (number: number): LimitScope => ({ kind: 'model', pattern: `model-${number}` }),
    (number: number): LimitScope => ({ kind: 'provider', provider: `provider-${number}` }),
  ];
  const watched = (scope: LimitScope): LimitScope =>
    new Proxy(scope, {
      get: (target, name: keyof LimitScope) => {
        looks += 1;
        return target[name];
      },
    });
  for (let number = 0; number < 100_000; number += 1) {
    const scope = watched(scopeOf[number % 4]?.(number) ?? { kind: 'workspace' });
    scopes.add(new WatchedSeries(sampleLimit(`lim_${number}`, { scope, window: 'total' }), NOON, budget));
  }
  looks = 0;
  const touched = found(
    scopes,
    sampleSubject({
      keyId: 'key_400',
      provider: 'provider-403',
      model: 'model-402',
      pricedModel: null,
      tags: { user: '401' },
    }),
  );
  expect([touched, looks]).toEqual([['lim_400', 'lim_401', 'lim_402', 'lim_403'], 0]);
});
