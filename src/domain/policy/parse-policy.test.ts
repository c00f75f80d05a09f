import { describe, expect, test } from 'vitest';
import { TollbookError } from '../errors.ts';
import { parsePolicy, renderPolicy } from './parse-policy.ts';
import { OPEN_POLICY } from './policy.ts';

const FULL = {
  allowedModels: ['claude-*', 'gpt-4o-mini'],
  deniedModels: ['*opus*'],
  maxOutputTokens: 4_096,
  requiredTags: { Team: ['search', 'ads'], user: null },
  requiredNames: ['run', 'session'],
  maxSessionsPerHour: 20,
  allowedAddresses: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'],
  activeHours: { days: ['fri', 'Mon'], from: '22:00', until: '6:30', timeZone: 'europe/berlin' },
  whenOverLimit: 'refuse',
  minOutputTokens: 1_024,
  assumedCostUsd: 0.5,
  unpricedModels: 'allow',
  onDisconnect: 'abort',
  geo: 'US',
  tier: 'default',
  maxBodyBytes: 1_000_000,
};

function expectInvalid(read: () => unknown, param: string): void {
  let caught: unknown = null;
  try {
    read();
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(TollbookError);
  expect(caught).toMatchObject({ type: 'invalid', param });
}

test('an empty policy allows what the provider allows', () => {
  expect(parsePolicy({})).toEqual(OPEN_POLICY);
  expect(parsePolicy(Object.fromEntries(Object.keys(OPEN_POLICY).map((field) => [field, null])))).toEqual(OPEN_POLICY);
});

test('every field is read', () =>
  expect(parsePolicy(FULL)).toEqual({
    ...FULL,
    requiredTags: { team: ['search', 'ads'], user: null },
    requiredNames: ['session', 'run'],
    maxSessionsPerHour: 20,
    activeHours: { days: [1, 5], from: 1_320, until: 390, timeZone: 'Europe/Berlin' },
    assumedCostUsd: 500_000_000,
    geo: 'us',
  }));

test('a policy is read back as it is shown', () => {
  for (const policy of [OPEN_POLICY, parsePolicy(FULL)]) expect(parsePolicy(renderPolicy(policy))).toEqual(policy);
  expect(renderPolicy(parsePolicy(FULL)).activeHours).toMatchObject({
    days: ['mon', 'fri'],
    from: '22:00',
    until: '06:30',
  });
});

test('hours without days apply to every day, and a whole day ends at 24:00', () =>
  expect(parsePolicy({ activeHours: { from: '00:00', until: '24:00', timeZone: 'UTC' } }).activeHours).toEqual({
    days: [0, 1, 2, 3, 4, 5, 6],
    from: 0,
    until: 1_440,
    timeZone: 'UTC',
  }));

test('dollars may be a text, exact to the nano-dollar', () =>
  expect(parsePolicy({ assumedCostUsd: '$1,000.000000001' }).assumedCostUsd).toBe(1_000_000_000_001));

test('only a JSON object is a policy', () => {
  for (const value of [null, undefined, [], 'open', 1]) expectInvalid(() => parsePolicy(value), 'policy');
});

describe('rules that would have no effect are refused and named', () => {
  const hours = FULL.activeHours;
  test.each<[field: string, policy: unknown]>([
    ['allowModel', { allowModel: ['claude-*'] }],
    ['__proto__', JSON.parse('{"__proto__": {}}')],
    ['allowedModels', { allowedModels: [] }],
    ['allowedModels', { allowedModels: 'claude-*' }],
    ['allowedModels', { allowedModels: [''] }],
    ['allowedModels', { allowedModels: ['gpt 4'] }],
    ['deniedModels', { deniedModels: [1] }],
    ['deniedModels', { deniedModels: ['x'.repeat(257)] }],
    ['deniedModels', { deniedModels: Array.from({ length: 101 }, (_, at) => `m${at}`) }],
    ['maxOutputTokens', { maxOutputTokens: 0 }],
    ['maxOutputTokens', { maxOutputTokens: 1.5 }],
    ['maxOutputTokens', { maxOutputTokens: '4096' }],
    ['requiredTags', { requiredTags: ['team'] }],
    ['requiredNames', { requiredNames: ['agent'] }],
    ['maxSessionsPerHour', { maxSessionsPerHour: 100_001 }],
    ['requiredTags', { requiredTags: { team: [] } }],
    ['requiredTags', { requiredTags: { team: 'search' } }],
    ['requiredTags', { requiredTags: { 'te am': null } }],
    ['requiredTags', { requiredTags: { team: ['a\nb'] } }],
    ['requiredTags', { requiredTags: { team: null, TEAM: null } }],
    ['requiredTags', { requiredTags: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`t${at}`, null])) }],
    ['allowedAddresses', { allowedAddresses: [] }],
    ['allowedAddresses', { allowedAddresses: ['10.0.0.0/33'] }],
    ['allowedAddresses', { allowedAddresses: ['example.com'] }],
    ['activeHours', { activeHours: 'always' }],
    ['zone', { activeHours: { ...hours, zone: 'UTC' } }],
    ['activeHours.from', { activeHours: { ...hours, from: '24:01' } }],
    ['activeHours.from', { activeHours: { ...hours, from: '9' } }],
    ['activeHours.until', { activeHours: { ...hours, until: '12:60' } }],
    ['activeHours.until', { activeHours: { ...hours, until: '22:00' } }],
    ['activeHours.days', { activeHours: { ...hours, days: [] } }],
    ['activeHours.days', { activeHours: { ...hours, days: ['monday'] } }],
    ['activeHours.timeZone', { activeHours: { ...hours, timeZone: '+02:00' } }],
    ['activeHours.timeZone', { activeHours: { ...hours, timeZone: undefined } }],
    ['whenOverLimit', { whenOverLimit: 'cut' }],
    ['minOutputTokens', { minOutputTokens: 0 }],
    ['assumedCostUsd', { assumedCostUsd: 0 }],
    ['assumedCostUsd', { assumedCostUsd: 1e-10 }],
    ['assumedCostUsd', { assumedCostUsd: -1 }],
    ['unpricedModels', { unpricedModels: true }],
    ['onDisconnect', { onDisconnect: 'stay' }],
    ['geo', { geo: '' }],
    ['tier', { tier: 'a b' }],
    ['maxBodyBytes', { maxBodyBytes: -1 }],
  ])('%s in %j', (field, policy) => expectInvalid(() => parsePolicy(policy), field));
});
