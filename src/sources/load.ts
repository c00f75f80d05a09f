import { setFlagsFromString } from 'node:v8';
import type { LocalCall, LocalSource } from '../core/local-call.ts';
import { type CachedFile, cachePath, readCache, writeCache } from './cache.ts';
import type { Job } from './lane.ts';
import { type Outcome, type Progress, runJobs } from './pool.ts';
import type { ParsedFile, Places, SessionFile, SessionSource } from './source.ts';
import { SOURCES } from './source-list.ts';

/** Reading leaves much garbage and little behind: a nursery that grows only makes the process bigger, by 50 MB. */
const SMALL_NURSERY = '--semi-space-growth-factor=1';

export interface LoadOptions {
  readonly sources: readonly LocalSource[];
  readonly places: Places;
  /** Where what files said is kept between runs; null = nowhere. */
  readonly cacheFolder: string | null;
  /** Told some times a second, of the files that had to be read. */
  readonly onProgress?: ((done: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface LoadedFile extends SessionFile {
  readonly source: LocalSource;
}

export interface LoadedSessions {
  /** Each once, those of one source together and oldest first. */
  readonly calls: readonly LocalCall[];
  /** Every file, with the session that its calls are listed under. */
  readonly files: readonly LoadedFile[];
  /** Sentences for whoever reads the figures. */
  readonly warnings: readonly string[];
}

/** One source on its way. */
interface Loading {
  readonly source: SessionSource<unknown>;
  /** null = there is none. */
  readonly cache: string | null;
  readonly found: readonly SessionFile[];
  readonly kept: ReadonlyMap<string, CachedFile>;
}

/**
 * What the session files of this machine tell. Only what changed since the last run is read. Throws the signal's reason
 * when it is aborted; a file or cache that makes trouble is a warning.
 */
export async function loadSources(options: LoadOptions): Promise<LoadedSessions> {
  setFlagsFromString(SMALL_NURSERY);
  const loading = await Promise.all(options.sources.map((name) => begin(name, options)));
  const jobs = loading.flatMap(jobsOf).toSorted((a, b) => b.file.size - a.file.size);
  const outcomes = jobs.length === 0 ? [] : await runJobs(jobs, options);
  options.signal?.throwIfAborted();
  const read = new Map(jobs.map(({ source, file }, index) => [keyOf(source, file), outcomes[index] ?? null]));
  const loaded = loading.map((one) => finish(one, read));
  return {
    calls: loaded.flatMap(({ calls }) => calls),
    files: loaded.flatMap(({ files }) => files),
    warnings: loaded.flatMap(({ warnings }) => warnings),
  };
}

async function begin(name: LocalSource, { places, cacheFolder }: LoadOptions): Promise<Loading> {
  const source = await SOURCES[name]();
  const cache = cacheFolder === null ? null : cachePath(cacheFolder, name);
  const kept = cache === null ? new Map<string, CachedFile>() : readCache(cache, cacheOf(source));
  return { source, cache, kept, found: await source.find(places) };
}

function jobsOf({ source, found, kept }: Loading): Job[] {
  return found.flatMap((file) => {
    const before = kept.get(file.path);
    if (before === undefined) return [{ source: source.name, file, before: null }];
    if (isSame(before.file, file)) return [];
    const { line: _, ...known } = before;
    return [{ source: source.name, file, before: known.file.sessionId === file.sessionId ? known : null }];
  });
}

function isSame(a: SessionFile, b: SessionFile): boolean {
  return a.inode === b.inode && a.size === b.size && a.modifiedAt === b.modifiedAt && a.sessionId === b.sessionId;
}

function finish({ source, cache, found, kept }: Loading, read: ReadonlyMap<string, Outcome>): LoadedSessions {
  const warnings: string[] = [];
  const known: CachedFile[] = [];
  for (const file of found) {
    const outcome = read.has(keyOf(source.name, file)) ? read.get(keyOf(source.name, file)) : kept.get(file.path);
    if (typeof outcome === 'string') warnings.push(outcome);
    else if (outcome) known.push(outcome);
  }
  const isChanged = known.length !== kept.size || known.some((file) => kept.get(file.file.path) !== file);
  if (cache !== null && isChanged) warnings.push(...save(cache, source, known));
  const parsed: ParsedFile<unknown>[] = known;
  return {
    calls: source.resolve(parsed),
    files: parsed.map((one) => {
      const sessionId = source.sessionOf?.(one) ?? one.file.sessionId;
      return { ...one.file, sessionId, source: source.name };
    }),
    warnings: [...warnings, ...(source.doubts?.(parsed) ?? [])],
  };
}

function save(path: string, source: SessionSource<unknown>, files: readonly CachedFile[]): string[] {
  try {
    const lines = files.map(({ line }) => line);
    writeCache(path, cacheOf(source), lines);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [`What was read is not kept, so that the next run will read it again: ${why}`];
  }
}

function cacheOf({ name, version }: SessionSource<unknown>) {
  return { source: name, version };
}

function keyOf(source: LocalSource, { path }: SessionFile): string {
  return `${source} ${path}`;
}
