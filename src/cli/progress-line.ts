import type { CommandTerminal } from './terminal.ts';

/** Faster work shows no progress. */
const SILENT_MS = 300;
const BETWEEN_MS = 100;
const CLEAR_LINE = '\r\u001B[2K';
const MEGABYTE = 1_000_000;

interface Progress {
  readonly files: number;
  readonly ofFiles: number;
  readonly bytes: number;
}

export interface ProgressLine {
  readonly show: (done: Progress) => void;
  readonly clear: () => void;
}

/** Shows progress on one line that is overwritten and removed at the end. Prints nothing without a terminal. */
export function progressLine(terminal: CommandTerminal, now: () => number = () => performance.now()): ProgressLine {
  let next = now() + SILENT_MS;
  let isShown = false;
  return {
    show: ({ files, ofFiles, bytes }) => {
      if (!terminal.errIsTerminal || now() < next) return;
      next = now() + BETWEEN_MS;
      isShown = true;
      terminal.err(`${CLEAR_LINE}Reading sessions: ${files} of ${ofFiles} files, ${Math.round(bytes / MEGABYTE)} MB`);
    },
    clear: () => {
      if (isShown) terminal.err(CLEAR_LINE);
      isShown = false;
    },
  };
}
