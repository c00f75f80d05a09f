import { openLogFile, type LogFileOptions } from '../log-file.ts';
import { TurnJournal } from '../turn-journal.ts';

const ROOMY_BYTES = 1_000_000_000;

interface BreakableLog {
  readonly journal: TurnJournal;
  /** Problems reported so far. */
  readonly troubles: readonly (string | null)[];
  breakWrites(): void;
  mendWrites(): void;
}

/** Opens a journal of files that a test can make run out of space. */
export function openBreakableLog(
  options: Pick<LogFileOptions, 'folder' | 'sync'> & { openCallsMax?: number; segmentBytes?: number },
): BreakableLog {
  let bytesMax = ROOMY_BYTES;
  const problems: (string | null)[] = [];
  const file = openLogFile({
    clock: () => 0,
    segmentBytes: ROOMY_BYTES,
    keepMs: 0,
    keepBytesMax: ROOMY_BYTES,
    roomBytes: 0,
    ...options,
    get bytesMax() {
      return bytesMax;
    },
  });
  const onProblem = (problem: string | null): void => void problems.push(problem);
  return {
    journal: new TurnJournal(file, { openCallsMax: options.openCallsMax ?? 1_000, onProblem }),
    troubles: problems,
    breakWrites: () => void (bytesMax = 0),
    mendWrites: () => void (bytesMax = ROOMY_BYTES),
  };
}
