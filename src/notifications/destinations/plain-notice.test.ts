import { expect, test } from 'vitest';
import { NOTICES } from './contract/notices.ts';
import { toPlainNotice } from './plain-notice.ts';

const { alert, digest, resolved, test: trial } = NOTICES;

test('invisible characters and direction marks are replaced', () => {
  const { title, message } = toPlainNotice({
    ...alert,
    title: 'a\u0000b\u202ec\ud800d',
    message: ' one\r\ntwo\u2028\tthree\u007f ',
  });
  expect(title).toBe('a\ufffdb\ufffdc\ufffdd');
  expect(message).toBe('one\ntwo\n three\ufffd');
});

test('only the message has several lines, and at most one empty line in a row', () => {
  expect(toPlainNotice({ ...alert, message: 'a\nb\n \n\r\n\n\tc' }).message).toBe('a\nb\n\n c');
  const shown = toPlainNotice({
    ...alert,
    title: 'a\n\n b',
    workspace: 'c\r\nd',
    facts: [{ name: 'e\nf', value: 'g\n\th' }],
  });
  expect(shown).toMatchObject({ title: 'a b', workspace: 'c d', facts: [{ name: 'e f', value: 'g h' }] });
});

test('no field is empty', () => {
  const shown = toPlainNotice({
    ...alert,
    title: ' ',
    message: '\n',
    workspace: '',
    facts: [{ name: '', value: '\u2003' }],
  });
  expect(shown).toMatchObject({
    title: 'Cost spike',
    message: 'Cost spike',
    workspace: '–',
    facts: [{ name: '–', value: '–' }],
  });
});

test('the first facts are shown with the number of the others', () => {
  const facts = Array.from({ length: 14 }, (_, index) => ({ name: `n${index}`, value: 'v' }));
  expect(toPlainNotice({ ...alert, facts: facts.slice(0, 10) }).facts).toEqual(facts.slice(0, 10));
  expect(toPlainNotice({ ...alert, facts }).facts).toEqual([
    ...facts.slice(0, 9),
    { name: 'More', value: '5 in the dashboard' },
  ]);
});

test('a notice has a label and a tone', () => {
  expect(
    [alert, resolved, trial, digest].map((notice) => [toPlainNotice(notice).mark, toPlainNotice(notice).tone]),
  ).toEqual([
    ['Warning', 'warning'],
    ['Resolved', 'good'],
    ['Test', 'info'],
    ['Weekly digest', 'info'],
  ]);
});
