import { expect, test } from 'vitest';
import type { PolicyShape } from '../../../../src/contract/limits.ts';
import { describePolicy, readPolicy, requiredTagsText } from './policy-rules.ts';

const form =
  (fields: Readonly<Record<string, string>>) =>
  (name: string): string =>
    fields[name] ?? '';

const CHOICES = { whenTooLarge: 'refuse', unpriced: 'refuse', whenClientLeaves: 'drain' };
const OPEN: PolicyShape = {
  allowModels: null,
  denyModels: [],
  outputTokensMax: null,
  requireTags: {},
  addresses: null,
  activeHours: null,
  whenTooLarge: 'refuse',
  presumeUsd: null,
  unpriced: 'refuse',
  whenClientLeaves: 'drain',
  geo: null,
  tier: null,
  bodyBytesMax: null,
};

test('an empty form allows everything, and says no rule', () => {
  expect(readPolicy(form(CHOICES))).toEqual(OPEN);
  expect(describePolicy(OPEN)).toEqual([]);
});

test('required tags are read as they are shown, one in a line', () => {
  const requireTags = { team: ['search', 'ads'], user: null };
  const text = requiredTagsText(requireTags, '\n');
  expect(readPolicy(form({ ...CHOICES, requireTags: text })).requireTags).toEqual(requireTags);
});

test('hours without a day are those of every day', () => {
  const hours = { from: '09:00', until: '18:00', timeZone: 'Europe/Berlin' };
  expect(readPolicy(form({ ...CHOICES, ...hours })).activeHours).toEqual(hours);
  expect(readPolicy(form({ ...CHOICES, ...hours, fri: 'yes', mon: 'yes' })).activeHours).toEqual({
    ...hours,
    days: ['mon', 'fri'],
  });
});

test('every rule that differs is said', () => {
  const strict: PolicyShape = {
    allowModels: ['claude-*'],
    denyModels: ['*-opus-*'],
    outputTokensMax: 4_096,
    requireTags: { user: null },
    addresses: ['10.0.0.0/8'],
    activeHours: { days: ['mon'], from: '09:00', until: '18:00', timeZone: 'UTC' },
    whenTooLarge: 'clamp',
    presumeUsd: 0.5,
    unpriced: 'allow',
    whenClientLeaves: 'abort',
    geo: 'us',
    tier: 'priority',
    bodyBytesMax: 1_048_576,
  };
  expect(describePolicy(strict)).toHaveLength(Object.keys(strict).length);
});
