import { expect, test } from 'vitest';
import type { PolicyShape } from '../../../../src/contract/limits.ts';
import { describePolicy, readPolicy, requiredTagsText } from './policy-rules.ts';

const form =
  (fields: Readonly<Record<string, string>>) =>
  (name: string): string =>
    fields[name] ?? '';

const CHOICES = { whenOverLimit: 'shorten', minOutputTokens: '4096', unpricedModels: 'refuse', onDisconnect: 'drain' };
const OPEN: PolicyShape = {
  allowedModels: null,
  deniedModels: [],
  maxOutputTokens: null,
  requiredTags: {},
  requiredNames: [],
  maxSessionsPerHour: null,
  allowedAddresses: null,
  activeHours: null,
  whenOverLimit: 'shorten',
  minOutputTokens: 4_096,
  assumedCostUsd: null,
  unpricedModels: 'refuse',
  onDisconnect: 'drain',
  geo: null,
  tier: null,
  maxBodyBytes: null,
};

test('an empty form restricts nothing and describes no rule', () => {
  expect(readPolicy(form(CHOICES))).toEqual(OPEN);
  expect(describePolicy(OPEN)).toEqual([]);
});

test('required tags are read as they are written, one per line', () => {
  const requiredTags = { team: ['search', 'ads'], user: null };
  const text = requiredTagsText(requiredTags, '\n');
  expect(readPolicy(form({ ...CHOICES, requiredTags: text })).requiredTags).toEqual(requiredTags);
});

test('ticked boxes require a name', () => {
  expect(readPolicy(form({ ...CHOICES, 'requires-run': 'run' })).requiredNames).toEqual(['run']);
});

test('hours without a day apply to every day', () => {
  const hours = { from: '09:00', until: '18:00', timeZone: 'Europe/Berlin' };
  expect(readPolicy(form({ ...CHOICES, ...hours })).activeHours).toEqual(hours);
  expect(readPolicy(form({ ...CHOICES, ...hours, fri: 'yes', mon: 'yes' })).activeHours).toEqual({
    ...hours,
    days: ['mon', 'fri'],
  });
});

test('every restricting rule is described', () => {
  const strict: PolicyShape = {
    allowedModels: ['claude-*'],
    deniedModels: ['*-opus-*'],
    maxOutputTokens: 4_096,
    requiredTags: { user: null },
    requiredNames: ['session'],
    maxSessionsPerHour: 1_000,
    allowedAddresses: ['10.0.0.0/8'],
    activeHours: { days: ['mon'], from: '09:00', until: '18:00', timeZone: 'UTC' },
    whenOverLimit: 'refuse',
    minOutputTokens: 1_024,
    assumedCostUsd: 0.5,
    unpricedModels: 'allow',
    onDisconnect: 'abort',
    geo: 'us',
    tier: 'priority',
    maxBodyBytes: 1_048_576,
  };
  expect(describePolicy(strict)).toHaveLength(Object.keys(strict).length);
});
