import { formatCount } from '../domain/text/counts.ts';
import { describeDuration } from '../domain/text/durations.ts';
import { SECOND_MS } from '../domain/time/units.ts';
import type { CommandTerminal } from './terminal.ts';

/** Faster work shows no progress. */
const SILENT_MS = 300;
const BETWEEN_MS = 100;
const CLEAR_LINE = '\r\u001B[2K';
const MEGABYTE = 1_000_000;
const MINUTE_SECONDS = 60;

type ClockReading = () => number;

function systemNow(): number {
  return performance.now();
}

export interface ProgressLine<Progress> {
  readonly show: (done: Progress) => void;
  readonly clear: () => void;
}

/** Shows progress on one line that is overwritten and removed at the end. Prints nothing without a terminal. */
export function progressLine<Progress>(
  terminal: CommandTerminal,
  toText: (done: Progress) => string,
  now: ClockReading = systemNow,
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

/** Returns a text for files of assistant sessions: how many were read, and the time that is left. */
export function sessionFilesText(now: ClockReading = systemNow): (done: ReadFiles) => string {
  const began = now();
  return ({ files, ofFiles, bytes }) => {
    const megabytes = Math.round(bytes / MEGABYTE);
    const left = timeLeft({ done: files, of: ofFiles }, now() - began);
    return `Reading sessions: ${files} of ${ofFiles} files, ${megabytes} MB${left}`;
  };
}

interface CountedWork {
  readonly done: number;
  /** null = unknown. */
  readonly of: number | null;
}

/** Returns a text for counted work: `Uploading: 1,200 of 4,000 records, 310/s, 9 s left`. */
export function countedText(verb: string, unit: string, now: ClockReading = systemNow): (work: CountedWork) => string {
  const began = now();
  return ({ done, of }) => {
    const tookMs = now() - began;
    const total = of === null ? '' : ` of ${formatCount(of)}`;
    const rate = tookMs > 0 ? `, ${formatCount(Math.round((done / tookMs) * SECOND_MS))}/s` : '';
    return `${verb}: ${formatCount(done)}${total} ${unit}${rate}${timeLeft({ done, of }, tookMs)}`;
  };
}

/** Returns the time that is left at the pace so far, or '' where there is no pace yet. */
function timeLeft({ done, of }: CountedWork, tookMs: number): string {
  if (of === null || done === 0 || tookMs <= 0 || done >= of) return '';
  const seconds = Math.round(((of - done) * tookMs) / done / SECOND_MS);
  if (seconds === 0) return '';
  return `, ${seconds < MINUTE_SECONDS ? `${seconds} s` : describeDuration(seconds * SECOND_MS)} left`;
}
