import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import type { LocalCall, LocalSource } from '../../domain/sessions/local-call.ts';
import {
  type FileCache,
  type CachedFile,
  type CacheId,
  cachePath,
  callsPath,
  NO_CACHE,
  readCache,
  writeCache,
} from './file-cache.ts';
import { type CachedCalls, readCachedCalls, writeCachedCalls } from './call-cache.ts';
import type { ReadJob } from './read-worker.ts';
import type { FileOutcome, ReadProgress, Threads } from './thread-pool.ts';
import type { ParsedFile, HostEnvironment, SessionFile, SessionSource } from './source.ts';
import { SOURCES } from './sources.ts';

/**
 * Reading leaves much garbage and little behind: a heap that makes room for it only makes the process bigger, by 50 MB.
 * And it is over before compilers have paid: without the last one, and with the one before it asked later for loops, it
 * takes a tenth less CPU time, and 8 MB less.
 */
const SHORT_RUN = [
  '--semi-space-growth-factor=1',
  '--heap-growing-percent=40',
  '--no-turbofan',
  '--invocation-count-for-maglev-osr=500',
];

export interface LoadSessionsOptions {
  readonly sources: readonly LocalSource[];
  readonly places: HostEnvironment;
  /** Where what files said is kept between runs; null = nowhere. */
  readonly cacheFolder: string | null;
  /** Told some times a second, of the files that had to be read. */
  readonly onProgress?: ((done: ReadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told the calls of a source once they are known, which may be while those of others are still read. */
  readonly onCalls?: ((source: LocalSource, calls: readonly LocalCall[]) => Promise<void>) | undefined;
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
interface SourceLoad {
  readonly source: SessionSource<unknown>;
  readonly of: CacheId;
  /** Folder of caches; null = nothing is kept. */
  readonly folder: string | null;
  readonly found: readonly SessionFile[];
  readonly kept: FileCache;
  readonly jobs: readonly ReadJob[];
  /** What jobs came to, by path. */
  readonly read: Map<string, FileOutcome>;
}

/**
 * What the session files of this machine tell. Only what changed since the last run is read. Throws the signal's reason
 * when it is aborted; a file or cache that makes trouble is a warning.
 */
export async function loadSessions(options: LoadSessionsOptions): Promise<LoadedSessions> {
  for (const flag of SHORT_RUN) setFlagsFromString(flag);
  const early = (await isFirstRun(options)) ? await openThreads(options, true) : null;
  try {
    return await loadAll(options, early);
  } finally {
    await early?.close();
  }
}

/** Everything is to be read, and there may be something. */
async function isFirstRun({ sources, cacheFolder, places }: LoadSessionsOptions): Promise<boolean> {
  if (cacheFolder === null || sources.some((name) => existsSync(cachePath(cacheFolder, name)))) return false;
  const folders = await Promise.all(sources.map(async (name) => (await SOURCES[name]()).folders(places)));
  return folders.flat().some((folder) => existsSync(folder));
}

/** Loaded where it is needed: most runs read little or nothing. */
async function openThreads({ sources }: LoadSessionsOptions, isEarly: boolean): Promise<Threads> {
  const { Threads } = await import('./thread-pool.ts');
  return new Threads(sources, isEarly);
}

async function loadAll(options: LoadSessionsOptions, early: Threads | null): Promise<LoadedSessions> {
  const loading = await Promise.all(options.sources.map((name) => beginLoad(name, options)));
  // What a source comes to is worked out as soon as its files are read, while other threads read those of the next.
  const finished = new Map<LocalSource, Promise<LoadedSessions>>();
  const finishIfRead = (one: SourceLoad): void => {
    if (!isRead(one)) return;
    const finishing = finishLoad(one, options);
    // Asked for when everything is read, and until then nobody's.
    finishing.catch(() => undefined);
    finished.set(one.source.name, finishing);
  };
  loading.forEach(finishIfRead);
  const jobs = orderJobs(loading);
  if (jobs.length > 0) {
    const { runJobs } = await import('./thread-pool.ts');
    const receive = ({ source, file }: ReadJob, outcome: FileOutcome): void => {
      const one = loading.find((other) => other.source.name === source);
      one?.read.set(file.path, outcome);
      if (one) finishIfRead(one);
    };
    await runJobs(jobs, receive, early ?? (await openThreads(options, false)), options);
  }
  options.signal?.throwIfAborted();
  const loaded = await Promise.all(loading.map((one) => finished.get(one.source.name) ?? finishLoad(one, options)));
  return {
    calls: loaded.flatMap(({ calls }) => calls),
    files: loaded.flatMap(({ files }) => files),
    warnings: loaded.flatMap(({ warnings }) => warnings),
  };
}

/** The largest files at both ends and each source at its own, since that is where lanes begin. */
function orderJobs(loading: readonly SourceLoad[]): ReadJob[] {
  return loading.flatMap(({ jobs }, place) =>
    jobs.toSorted((a, b) => (place === 0 ? b.file.size - a.file.size : a.file.size - b.file.size)),
  );
}

function isRead({ jobs, read }: SourceLoad): boolean {
  return read.size === jobs.length;
}

async function beginLoad(name: LocalSource, { places, cacheFolder: folder }: LoadSessionsOptions): Promise<SourceLoad> {
  const source = await SOURCES[name]();
  const of = { source: name, version: source.version };
  const kept = folder === null ? NO_CACHE : readCache(cachePath(folder, name), of);
  const found = await source.find(places);
  return { source, of, folder, kept, found, jobs: listJobs(name, found, kept), read: new Map() };
}

function listJobs(source: LocalSource, found: readonly SessionFile[], kept: FileCache): ReadJob[] {
  return found.flatMap((file): ReadJob[] => {
    const known = kept.files.get(file.path);
    if (known === undefined || known.file.sessionId !== file.sessionId) return [{ source, file, before: null }];
    if (isSameFile(known.file, file)) return [];
    return [{ source, file, before: { file: known.file, mark: known.mark, facts: known.facts } }];
  });
}

function isSameFile(a: SessionFile, b: SessionFile): boolean {
  return a.inode === b.inode && a.size === b.size && a.modifiedAt === b.modifiedAt;
}

async function finishLoad(loading: SourceLoad, { onCalls }: LoadSessionsOptions): Promise<LoadedSessions> {
  const { source, found, kept, read } = loading;
  const troubles: string[] = [];
  const known: CachedFile[] = [];
  for (const file of found) {
    const outcome = read.has(file.path) ? read.get(file.path) : kept.files.get(file.path);
    if (typeof outcome === 'string') troubles.push(outcome);
    else if (outcome) known.push(outcome);
  }
  const isChanged = known.length !== kept.files.size || known.some((file) => kept.files.get(file.file.path) !== file);
  const files = isChanged ? known : [...kept.files.values()];
  const { calls, sessionIds, doubts } = await readOrResolveCalls(loading, files, isChanged, troubles);
  await onCalls?.(source.name, calls);
  const named = files.map(({ file }, index) => {
    return Object.assign({}, file, { sessionId: sessionIds[index] ?? file.sessionId, source: source.name });
  });
  return { calls, files: named, warnings: [...troubles, ...doubts] };
}

/** Where no file has changed, the calls haven't either. */
async function readOrResolveCalls(
  loading: SourceLoad,
  files: readonly CachedFile[],
  isChanged: boolean,
  troubles: string[],
): Promise<CachedCalls> {
  const { source, of, folder, kept } = loading;
  if (folder === null || (files.length === 0 && kept.sum === null)) return resolveCalls(source, files);
  const path = callsPath(folder, of.source);
  const same = isChanged || kept.sum === null ? null : readCachedCalls(path, of, kept.sum);
  if (same !== null) return same;
  const settled = await resolveCalls(source, files);
  try {
    const sum = isChanged || kept.sum === null ? writeCache(cachePath(folder, of.source), of, files) : kept.sum;
    writeCachedCalls(path, of, sum, settled);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    troubles.push(`What was read is not kept, so that the next run will read it again: ${why}`);
  }
  return settled;
}

async function resolveCalls(
  source: SessionSource<unknown>,
  files: readonly ParsedFile<unknown>[],
): Promise<CachedCalls> {
  const reader = await source.open();
  const calls = reader.resolve(files);
  return {
    calls,
    sessionIds: files.map((file) => reader.sessionOf?.(file) ?? file.file.sessionId),
    doubts: reader.warnings?.(files, calls) ?? [],
  };
}
