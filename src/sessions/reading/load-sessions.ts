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
import type { FileOutcome, ReadProgress, ThreadPool } from './thread-pool.ts';
import type { ParsedFile, HostEnvironment, SessionFile, SessionSource } from './source.ts';
import { hasFolders } from './assistant-folders.ts';
import { SOURCES } from './sources.ts';

/**
 * V8 flags for a short run, measured in decisions/007. Reading makes much garbage and keeps little: without the first two
 * flags the heap grows and the peak is 40% higher. The run ends before late optimization pays off: without the last two flags
 * a first run takes 28% more CPU time.
 */
const SHORT_RUN = [
  '--semi-space-growth-factor=1',
  '--heap-growing-percent=40',
  '--no-turbofan',
  '--invocation-count-for-maglev-osr=500',
];

export interface LoadSessionsOptions {
  readonly sources: readonly LocalSource[];
  readonly host: HostEnvironment;
  /** Folder of the caches; null = nothing is cached. */
  readonly cacheFolder: string | null;
  /** Called a few times per second with the progress of the files that must be read. */
  readonly onProgress?: ((done: ReadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the calls of a source as soon as they are known, while other sources may still be read. */
  readonly onCalls?: ((source: LocalSource, calls: readonly LocalCall[]) => Promise<void>) | undefined;
}

interface LoadedFile extends SessionFile {
  readonly source: LocalSource;
}

export interface LoadedSessions {
  /** All calls, each once, grouped by source and sorted by time. */
  readonly calls: readonly LocalCall[];
  /** All files, with the session of their calls. */
  readonly files: readonly LoadedFile[];
  /** Sentences for readers of the figures. */
  readonly warnings: readonly string[];
}

/** State of loading one source. */
interface SourceLoad {
  readonly source: SessionSource<unknown>;
  readonly of: CacheId;
  /** Folder of the caches; null = nothing is cached. */
  readonly folder: string | null;
  readonly found: readonly SessionFile[];
  readonly kept: FileCache;
  readonly jobs: readonly ReadJob[];
  /** Results of jobs, by path. */
  readonly read: Map<string, FileOutcome>;
}

/**
 * Loads the calls in the session files of this machine. Reads only what changed since the last run. Throws the signal's
 * reason when it is aborted. A file or cache that cannot be read or written causes a warning.
 */
export async function loadSessions(given: LoadSessionsOptions): Promise<LoadedSessions> {
  for (const flag of SHORT_RUN) setFlagsFromString(flag);
  const sources = given.sources.filter((name) => hasFolders(name, given.host));
  const options = { ...given, sources };
  const early = (await isFirstRun(options)) ? await openThreads(options, true) : null;
  try {
    return await loadAll(options, early);
  } finally {
    await early?.close();
  }
}

/** Returns true if nothing is cached and there may be files to read. */
async function isFirstRun({ sources, cacheFolder, host }: LoadSessionsOptions): Promise<boolean> {
  if (cacheFolder === null || sources.some((name) => existsSync(cachePath(cacheFolder, name)))) return false;
  const folders = await Promise.all(sources.map(async (name) => (await SOURCES[name]()).host(host)));
  return folders.flat().some((folder) => existsSync(folder));
}

/** Opens threads. The module is loaded on demand, because most runs read little or nothing. */
async function openThreads({ sources }: LoadSessionsOptions, isEarly: boolean): Promise<ThreadPool> {
  const { ThreadPool } = await import('./thread-pool.ts');
  return new ThreadPool(sources, isEarly);
}

async function loadAll(options: LoadSessionsOptions, early: ThreadPool | null): Promise<LoadedSessions> {
  const loading = await Promise.all(options.sources.map((name) => beginLoad(name, options)));
  // The calls of a source are resolved as soon as its files are read, while other threads read the next source.
  const finished = new Map<LocalSource, Promise<LoadedSessions>>();
  const finishIfRead = (one: SourceLoad): void => {
    if (!isRead(one)) return;
    const finishing = finishLoad(one, options);
    // Awaited after everything is read. Until then an error must not count as unhandled.
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

/**
 * Puts the two sources with the most to read at the ends of the list, their largest files first, because workers start at
 * both ends.
 */
function orderJobs(loading: readonly SourceLoad[]): ReadJob[] {
  const [first, last, ...others] = loading.map(({ jobs }) => jobs).toSorted((a, b) => sumSizes(b) - sumSizes(a));
  return [
    first?.toSorted((a, b) => b.file.size - a.file.size),
    ...others,
    last?.toSorted((a, b) => a.file.size - b.file.size),
  ].flatMap((jobs) => jobs ?? []);
}

function sumSizes(jobs: readonly ReadJob[]): number {
  return jobs.reduce((sum, { file }) => sum + file.size, 0);
}

function isRead({ jobs, read }: SourceLoad): boolean {
  return read.size === jobs.length;
}

async function beginLoad(name: LocalSource, { host, cacheFolder: folder }: LoadSessionsOptions): Promise<SourceLoad> {
  const source = await SOURCES[name]();
  const of = { source: name, version: source.version };
  const kept = folder === null ? NO_CACHE : readCache(cachePath(folder, name), of);
  const found = await source.find(host);
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
  const failures: string[] = [];
  const known: CachedFile[] = [];
  for (const file of found) {
    const outcome = read.has(file.path) ? read.get(file.path) : kept.files.get(file.path);
    if (typeof outcome === 'string') failures.push(outcome);
    else if (outcome) known.push(outcome);
  }
  const isChanged = known.length !== kept.files.size || known.some((file) => kept.files.get(file.file.path) !== file);
  const files = isChanged ? known : [...kept.files.values()];
  const { calls, sessionIds, warnings } = await readOrResolveCalls(loading, files, isChanged, failures);
  await onCalls?.(source.name, calls);
  const named = files.map(({ file }, index) => {
    return Object.assign({}, file, { sessionId: sessionIds[index] ?? file.sessionId, source: source.name });
  });
  return { calls, files: named, warnings: [...failures, ...warnings] };
}

/** Reads the calls from the cache if no file changed, else resolves them and writes the caches. */
async function readOrResolveCalls(
  loading: SourceLoad,
  files: readonly CachedFile[],
  isChanged: boolean,
  failures: string[],
): Promise<CachedCalls> {
  const { source, of, folder, kept } = loading;
  if (folder === null || (files.length === 0 && kept.sum === null)) return resolveCalls(source, files);
  const path = callsPath(folder, of.source);
  const same = isChanged || kept.sum === null ? null : readCachedCalls(path, of, kept.sum);
  if (same !== null) return same;
  const resolved = await resolveCalls(source, files);
  try {
    const sum = isChanged || kept.sum === null ? writeCache(cachePath(folder, of.source), of, files) : kept.sum;
    writeCachedCalls(path, of, sum, resolved);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    failures.push(`Could not write the cache, so the next run reads everything again: ${why}`);
  }
  return resolved;
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
    warnings: reader.warnings?.(files, calls) ?? [],
  };
}
