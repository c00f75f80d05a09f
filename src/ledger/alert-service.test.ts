import { expect, test } from 'vitest';
import type { Alert } from '../domain/alerts/alert.ts';
import type { AlertMessage } from '../ipc/messages.ts';
import { createLog } from '../lib/log.ts';
import { AlertService } from './alert-service.ts';

function alertOf(episode: string): AlertMessage {
  const alert: Alert = {
    type: 'JOURNAL_PROBLEM',
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
  return { type: 'alert-raised', alert };
}

function openDesk() {
  const stored: string[] = [];
  const logged: string[] = [];
  const state = { broken: false, again: null as (() => void) | null };
  const desk = new AlertService({
    store: async (told) => {
      if (state.broken) throw new Error('database or disk is full');
      stored.push(told.type === 'alert-raised' ? told.alert.episode : `${told.episode} is over`);
    },
    log: createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } }),
    later: (work) => {
      state.again = work;
      return () => (state.again = null);
    },
  });
  return { desk, stored, logged, state };
}

test('alerts that the store cannot take are logged, wait, and are stored in their order once it can', async () => {
  const { desk, stored, logged, state } = openDesk();
  state.broken = true;
  desk.take(alertOf('a'));
  desk.take(alertOf('b'));
  desk.take({ type: 'alert-ended', workspaceId: 'ws_default', episode: 'a' });
  await new Promise(setImmediate);
  expect(stored).toEqual([]);
  expect(logged.join('')).toContain('About a.');
  state.broken = false;
  state.again?.();
  await desk.close();
  expect(stored).toEqual(['a', 'b', 'a is over']);
});

test('waiting alerts are bounded, and the others are logged', async () => {
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

test('closing cancels the next attempt, and all waiting alerts are in the log', async () => {
  const { desk, logged, state } = openDesk();
  state.broken = true;
  desk.take(alertOf('a'));
  desk.take(alertOf('b'));
  await desk.close();
  expect(state.again).toBeNull();
  for (const sentence of ['About a.', 'About b.']) expect(logged.join('')).toContain(sentence);
});
