import { setImmediate } from 'node:timers/promises';
import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { BlockReader, type Pause } from './read-blocks.ts';
import type { KeptFile } from './cache.ts';
import type { FactsReader, SessionFile, SourceReader } from './source.ts';
import { SOURCES } from './source-list.ts';
import type { End, Tally } from './tally.ts';

/** After so many bytes others of the thread have their turn: some ten milliseconds. */
const TURN_BYTES = 8 * 1024 * 1024;

/** One file to read. */
export interface Job {
  readonly source: LocalSource;
  readonly file: SessionFile;
  /** null = nothing is known of it. */
  readonly before: KeptFile | null;
}

/** What a job came to: what is now known of the file; null = it is gone; a text = why it could not be read. */
export type Done = KeptFile | string | null;

/** Does jobs, one after another, until none is left. Several lanes share one list of jobs and a tally. */
export async function runLane(
  jobs: readonly Job[],
  end: End,
  tally: Tally,
  receive: (index: number, done: Done) => void,
): Promise<void> {
  const blocks = new BlockReader();
  const pause = pausesOf(tally);
  const readers = new Map<LocalSource, SourceReader<unknown>>();
  for (;;) {
    const index = tally.take(jobs.length, end);
    const job = jobs[index];
    if (job === undefined || tally.isStopped) return;
    let reader = readers.get(job.source);
    if (reader === undefined) readers.set(job.source, (reader = await (await SOURCES[job.source]()).open()));
    receive(index, await doJob(job, reader, blocks, pause));
    tally.addFile();
  }
}

function pausesOf(tally: Tally): Pause {
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

async function doJob(
  { file, before }: Job,
  reader: SourceReader<unknown>,
  blocks: BlockReader,
  pause: Pause,
): Promise<Done> {
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
