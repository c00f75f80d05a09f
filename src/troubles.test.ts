import { beforeEach, expect, test } from 'vitest';
import type { Alert } from './core/alert.ts';
import { createLog } from './lib/log.ts';
import { Troubles } from './troubles.ts';

let raised: Alert[];
let over: string[];
let logged: string[];
let now: number;
let troubles: Troubles;
beforeEach(() => {
  raised = [];
  over = [];
  logged = [];
  now = 1_000;
  troubles = new Troubles({
    clock: () => now,
    log: createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } }),
    raise: (alert) => void raised.push(alert),
    over: (episode) => void over.push(episode),
  });
});

test('an episode is one alert, however its sentence changes; every sentence is logged', () => {
  troubles.hear('journal', 'The disk is full.');
  troubles.hear('journal', 'The disk is full.');
  troubles.hear('journal', 'The disk reports errors.');
  expect(troubles.of('journal')).toBe('The disk reports errors.');
  troubles.hear('journal', null);
  expect(troubles.of('journal')).toBeNull();
  expect(over).toEqual(raised.map(({ episode }) => episode));
  expect(raised).toMatchObject([{ type: 'JOURNAL_TROUBLE', severity: 'critical', message: 'The disk is full.' }]);
  expect(logged.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'The disk is full.',
    'The disk reports errors.',
    'the journal works again',
  ]);
});

test('the next episode, and the other part, raise alerts of their own', () => {
  troubles.hear('journal', 'The disk is full.');
  troubles.hear('book', 'The book is locked.');
  troubles.hear('journal', null);
  now += 1;
  troubles.hear('journal', 'The disk is full.');
  expect(new Set(raised.map(({ episode }) => episode)).size).toBe(3);
  expect(raised.map(({ type, title }) => [type, title])).toEqual([
    ['JOURNAL_TROUBLE', 'Trouble with the journal'],
    ['BOOK_TROUBLE', 'Trouble with the book'],
    ['JOURNAL_TROUBLE', 'Trouble with the journal'],
  ]);
  expect(troubles.of('book')).toBe('The book is locked.');
});
