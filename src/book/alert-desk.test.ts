import { expect, test } from 'vitest';
import type { Alert } from '../core/alert.ts';
import { createLog } from '../lib/log.ts';
import { AlertDesk } from './alert-desk.ts';

function alertOf(episode: string): Alert {
  return {
    type: 'JOURNAL_TROUBLE',
    severity: 'critical',
    workspaceId: 'ws_default',
    title: 'Journal',
    message: `About ${episode}.`,
    episode,
    createdAt: 0,
    scope: {},
    value: null,
    threshold: null,
    period: null,
    evidence: {},
  };
}

function openDesk() {
  const stored: string[] = [];
  const logged: string[] = [];
  const state = { broken: false, again: null as (() => void) | null };
  const desk = new AlertDesk({
    raise: async ({ episode }) => {
      if (state.broken) throw new Error('database or disk is full');
      stored.push(episode);
    },
    log: createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } }),
    later: (work) => {
      state.again = work;
      return () => (state.again = null);
    },
  });
  return { desk, stored, logged, state };
}

test('alerts that the store does not take are logged, wait, and are stored once it does, in their order', async () => {
  const { desk, stored, logged, state } = openDesk();
  state.broken = true;
  desk.take(alertOf('a'));
  desk.take(alertOf('b'));
  await new Promise(setImmediate);
  expect(stored).toEqual([]);
  expect(logged.join('')).toContain('About a.');
  state.broken = false;
  state.again?.();
  await desk.close();
  expect(stored).toEqual(['a', 'b']);
});

test('what waits is bounded; what finds no room is in the log', async () => {
  const { desk, stored, logged, state } = openDesk();
  state.broken = true;
  for (let count = 0; count < 150; count++) desk.take(alertOf(String(count)));
  await new Promise(setImmediate);
  state.broken = false;
  state.again?.();
  await desk.close();
  expect(stored).toHaveLength(100);
  expect(logged.join('')).toContain('About 149.');
});

test('closing calls off the next try', async () => {
  const { desk, state } = openDesk();
  state.broken = true;
  desk.take(alertOf('a'));
  await desk.close();
  expect(state.again).toBeNull();
});
