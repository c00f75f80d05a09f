import { expect, test } from 'vitest';
import { progressLine, sessionFilesText } from './progress-line.ts';
import type { CommandTerminal } from './terminal.ts';

const DONE = { files: 3, ofFiles: 20, bytes: 41_600_000 };

function play(errIsTerminal: boolean, times: readonly number[]): string {
  let [text, clock] = ['', 0];
  const terminal = { errIsTerminal, err: (piece: string) => void (text += piece) } as CommandTerminal;
  const { show, clear } = progressLine(terminal, sessionFilesText, () => clock);
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
    '<Reading sessions: 3 of 20 files, 42 MB<Reading sessions: 3 of 20 files, 42 MB<',
  );
});

test('no progress is written for quick work or without a terminal', () => {
  expect([play(true, [0, 299]), play(false, [0, 500])]).toEqual(['', '']);
});
