import { expect, test } from 'vitest';
import { readNewKey, readNewRules } from './read-new-key.ts';

const form =
  (fields: Readonly<Record<string, string>>) =>
  (name: string): string =>
    fields[name] ?? '';

test('a key expires at the end of its last day in the zone of the workspace', () => {
  const fields = form({ name: 'first', providerKey: 'sk-1', lastDay: '2026-03-28', tags: 'team=search' });
  expect(readNewKey(fields, 'anthropic', 'Europe/Berlin')).toEqual({
    name: 'first',
    provider: 'anthropic',
    providerKey: 'sk-1',
    providerKeyOf: undefined,
    credential: undefined,
    tags: { team: 'search' },
    expiresAt: '2026-03-28T23:00:00.000Z',
    budgets: {},
    force: false,
  });
});

test('no policy is sent without a rule, and no empty rule', () => {
  expect(readNewRules(form({}))).toBeNull();
  expect(readNewRules(form({ allowedModels: 'claude-*, gpt-5-mini' }))).toEqual({
    allowedModels: ['claude-*', 'gpt-5-mini'],
  });
  expect(readNewRules(form({ maxOutputTokens: '4096' }))).toEqual({ maxOutputTokens: 4096 });
  expect(readNewRules(form({ 'requires-session': 'session', maxSessionsPerHour: '20' }))).toEqual({
    requiredNames: ['session'],
    maxSessionsPerHour: 20,
  });
});
