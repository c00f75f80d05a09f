import { expect, test } from 'vitest';
import { countedText, progressLine, sessionFilesText } from './progress-line.ts';
import type { CommandTerminal } from './terminal.ts';

const DONE = { files: 3, ofFiles: 20, bytes: 41_600_000 };

function play(errIsTerminal: boolean, times: readonly number[]): string {
  let [text, clock] = ['', 0];
  const terminal = { errIsTerminal, err: (piece: string) => void (text += piece) } as CommandTerminal;
  const { show, clear } = progressLine(
    terminal,
    sessionFilesText(() => clock),
    () => clock,
  );
  for (const time of times) {
    clock = time;
    show(DONE);
  }
  clear();
  clear();
  return text.replaceAll('\r\u001B[2K', '<');
}

test('a terminal shows one progress line, updated a few times a second and removed at the end', () => {
  expect(play(true, [0, 299, 300, 350, 400])).toBe(
    '<Reading sessions: 3 of 20 files, 42 MB, 2 s left<Reading sessions: 3 of 20 files, 42 MB, 2 s left<',
  );
});

test('no progress is written for quick work or without a terminal', () => {
  expect([play(true, [0, 299]), play(false, [0, 500])]).toEqual(['', '']);
});

test('counted work shows its rate, and the time that is left where the whole is known', () => {
  let clock = 0;
  const uploading = countedText('Uploading', 'records', () => clock);
  const exporting = countedText('Exporting', 'calls', () => clock);
  clock = 4_000;
  expect(uploading({ done: 1_200, of: 4_000 })).toBe('Uploading: 1,200 of 4,000 records, 300/s, 9 s left');
  expect(uploading({ done: 4_000, of: 4_000 })).toBe('Uploading: 4,000 of 4,000 records, 1,000/s');
  expect(exporting({ done: 20_000, of: null })).toBe('Exporting: 20,000 calls, 5,000/s');
});
