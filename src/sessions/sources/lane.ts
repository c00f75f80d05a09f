import { setImmediate } from 'node:timers/promises';
import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { BlockReader, type PauseCallback } from './read-blocks.ts';
import type { FileFacts } from './cache.ts';
import type { FactsReader, SessionFile, SourceReader } from './source.ts';
import { SOURCES } from './source-list.ts';
import type { QueueEnd, SharedProgress } from './tally.ts';

/** After so many bytes others of the thread have their turn: some ten milliseconds. */
const TURN_BYTES = 8 * 1024 * 1024;

/** One file to read. */
export interface ReadJob {
  readonly source: LocalSource;
  readonly file: SessionFile;
  /** null = nothing is known of it. */
  readonly before: FileFacts | null;
}

/** What a job came to: what is now known of the file; null = it is gone; a text = why it could not be read. */
export type JobResult = FileFacts | string | null;

/** Does jobs, one after another, until none is left. Several lanes share one list of jobs and a tally. */
export async function runReadWorker(
  jobs: readonly ReadJob[],
  end: QueueEnd,
  tally: SharedProgress,
  receive: (index: number, done: JobResult) => void,
): Promise<void> {
  const blocks = new BlockReader();
  const pause = createPause(tally);
  const readers = new Map<LocalSource, SourceReader<unknown>>();
  for (;;) {
    const index = tally.take(jobs.length, end);
    const job = jobs[index];
    if (job === undefined || tally.isStopped) return;
    let reader = readers.get(job.source);
    if (reader === undefined) readers.set(job.source, (reader = await (await SOURCES[job.source]()).open()));
    receive(index, await runJob(job, reader, blocks, pause));
    tally.addFile();
  }
}

function createPause(tally: SharedProgress): PauseCallback {
  let turn = 0;
  return (bytes) => {
    if (tally.isStopped) throw new Error('stopped');
    tally.addBytes(bytes);
    turn += bytes;
    if (turn < TURN_BYTES) return undefined;
    turn = 0;
    return setImmediate();
  };
}

async function runJob(
  { file, before }: ReadJob,
  reader: SourceReader<unknown>,
  blocks: BlockReader,
  pause: PauseCallback,
): Promise<JobResult> {
  let lines: FactsReader<unknown> | null = null;
  try {
    const read = await blocks.read(
      file,
      before,
      (goesOn) => (lines = reader.read(file, goesOn && before !== null ? before.facts : null)),
      pause,
    );
    return read === null || lines === null ? null : { ...read, facts: (lines as FactsReader<unknown>).facts() };
  } catch (error) {
    return `${file.path} could not be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
