import { expect, test } from 'vitest';
import { NO_CONTEXT } from '../usage/call-context.ts';
import { agentValue, eachValues, readEachValue } from './each-value.ts';
import { CALL_NAMES } from './limit.ts';

const NAMES = [
  'a',
  'a/b',
  'a%2Fb',
  '(none)',
  '%28none)',
  '%2528none)',
  '(other)',
  '%28other)',
  '(main)',
  '%28main)',
  '%',
];

test('a name chosen by a client never counts under a value of Tollbook itself, or under another name', () => {
  for (const kind of ['session', 'run'] as const) {
    const values = [...NAMES, null].flatMap((name) => eachValues(kind, { ...NO_CONTEXT, [kind]: name }));
    expect(new Set(values).size, kind).toBe(NAMES.length + 1);
    expect(values).not.toContain('(other)');
    expect(values.indexOf('(none)')).toBe(NAMES.length);
  }
});

test('agents of different sessions never share a value, whatever their names', () => {
  const names = [...NAMES, null];
  const pairs = names.flatMap((session) => names.map((agent) => ({ session, agent, parentAgent: null, run: null })));
  const values = pairs.flatMap((context) => eachValues('agent', context));
  expect(new Set(values).size).toBe(pairs.length);
});

test('a parent that a client names (main) or (none) is neither the main agent nor a missing session', () => {
  const context = { ...NO_CONTEXT, session: '(none)', agent: 'child', parentAgent: '(main)' };
  expect(eachValues('agent', context)).toEqual(['%28none)/child', '%28none)/%28main)']);
  expect(agentValue(null, 'child')).toBe('(none)/child');
});

test('ordinary names stay readable', () => {
  for (const kind of CALL_NAMES) {
    const [value] = eachValues(kind, { ...NO_CONTEXT, session: 'nightly 7', agent: 'planner', run: '2026-11-23' });
    expect(value).toBe({ session: 'nightly 7', agent: 'nightly 7/planner', run: '2026-11-23' }[kind]);
  }
});

test('the names of clients can be read back from their values', () => {
  for (const kind of ['session', 'run'] as const)
    for (const name of [...NAMES, null]) {
      const [value = ''] = eachValues(kind, { ...NO_CONTEXT, [kind]: name });
      expect(readEachValue(kind, value)).toEqual({ session: null, agent: null, run: null, [kind]: name });
    }
  for (const session of [...NAMES, null])
    for (const agent of [...NAMES, null]) {
      const [value = ''] = eachValues('agent', { ...NO_CONTEXT, session, agent });
      expect(readEachValue('agent', value)).toEqual({ session, agent, run: null });
    }
});
