import type { CommandTerminal } from './terminal.ts';

/** Faster work shows no progress. */
const SILENT_MS = 300;
const BETWEEN_MS = 100;
const CLEAR_LINE = '\r\u001B[2K';
const MEGABYTE = 1_000_000;

export interface ProgressLine<Progress> {
  readonly show: (done: Progress) => void;
  readonly clear: () => void;
}

/** Shows progress on one line that is overwritten and removed at the end. Prints nothing without a terminal. */
export function progressLine<Progress>(
  terminal: CommandTerminal,
  toText: (done: Progress) => string,
  now: () => number = () => performance.now(),
): ProgressLine<Progress> {
  let next = now() + SILENT_MS;
  let isShown = false;
  return {
    show(done) {
      if (!terminal.errIsTerminal || now() < next) return;
      next = now() + BETWEEN_MS;
      isShown = true;
      terminal.err(CLEAR_LINE + toText(done));
    },
    clear() {
      if (isShown) terminal.err(CLEAR_LINE);
      isShown = false;
    },
  };
}

interface ReadFiles {
  readonly files: number;
  readonly ofFiles: number;
  readonly bytes: number;
}

/** Describes how many files of assistant sessions were read. */
export function sessionFilesText({ files, ofFiles, bytes }: ReadFiles): string {
  return `Reading sessions: ${files} of ${ofFiles} files, ${Math.round(bytes / MEGABYTE)} MB`;
}
