import { homedir } from 'node:os';
import { join } from 'node:path';
import type { LocalCall, LocalSource } from '../../domain/sessions/local-call.ts';
import { resolveCacheFolder } from '../reading/file-cache.ts';
import { type LoadedSessions, loadSessions, type LoadSessionsOptions } from '../reading/load-sessions.ts';
import { FOLDER_SETTINGS } from '../reading/assistant-folders.ts';
import { SOURCES } from '../reading/sources.ts';
import type { HostEnvironment } from '../reading/source.ts';
import { localPrices } from './local-prices.ts';
import { buildStatus, type LocalStatus, selectStatusCalls, type StatusOptions } from './status.ts';
import { type FindCard, type ModelUse, priceCalls } from './model-use.ts';

export type EnvVariables = Readonly<Record<string, string | undefined>>;

export interface LocalLoadOptions extends Pick<LoadSessionsOptions, 'sources' | 'onProgress' | 'signal'> {
  readonly env: EnvVariables;
}

/** Returns what decides where this machine has sessions and caches. */
export function hostEnvironment(env: EnvVariables): HostEnvironment {
  const home = (process.platform === 'win32' ? env['USERPROFILE'] : env['HOME']) || homedir();
  return { home, platform: process.platform, env };
}

/** Returns the folder of caches. All its files may be deleted. */
export function localCacheFolder(env: EnvVariables): string {
  return resolveCacheFolder(hostEnvironment(env));
}

/** Loads every call in the sessions on this machine, each once. Nothing leaves the machine. */
function loadLocalCalls({
  env,
  ...options
}: LocalLoadOptions & Pick<LoadSessionsOptions, 'onCalls'>): Promise<LoadedSessions> {
  const host = hostEnvironment(env);
  return loadSessions({ ...options, host, cacheFolder: resolveCacheFolder(host) });
}

export interface LocalUses extends LoadedSessions {
  /** Sorted by time. */
  readonly uses: readonly ModelUse[];
  /** Finds the prices that were used. */
  readonly cardOf: FindCard;
}

/**
 * Loads and prices the calls on this machine at list prices.
 *
 * @param options `version`: version of this program
 */
export async function loadLocalUses(options: LocalLoadOptions & { readonly version: string }): Promise<LocalUses> {
  const pricesOf = openPrices(options.env, options.version);
  const uses = new Map<LocalSource, readonly ModelUse[]>();
  const onCalls = async (source: LocalSource, calls: readonly LocalCall[]): Promise<void> => {
    uses.set(source, priceCalls(calls, await pricesOf(calls)));
  };
  const sessions = await loadLocalCalls({ ...options, onCalls });
  const all = options.sources.flatMap((source) => uses.get(source) ?? []);
  return { ...sessions, uses: all.toSorted((a, b) => a.call.at - b.call.at), cardOf: await pricesOf([]) };
}

/** Lists every folder that is searched, even if it does not exist. */
export async function listSessionFolders(
  sources: readonly LocalSource[],
  env: EnvVariables,
): Promise<(readonly [LocalSource, readonly string[]])[]> {
  const host = hostEnvironment(env);
  return Promise.all(sources.map(async (name) => [name, (await SOURCES[name]()).host(host)] as const));
}

/** Loads the status of Claude Code on this machine. Only the necessary calls are priced. */
export async function loadStatus(env: EnvVariables, version: string, wish: StatusOptions): Promise<LocalStatus> {
  const pricesOf = openPrices(env, version);
  const { calls } = await loadLocalCalls({ sources: ['claude_code'], env });
  const needed = selectStatusCalls(calls, wish);
  return buildStatus(priceCalls(needed, await pricesOf(needed)), wish);
}

function openPrices(env: EnvVariables, version: string): ReturnType<typeof localPrices> {
  return localPrices({ file: join(resolveCacheFolder(hostEnvironment(env)), 'prices.json'), version });
}

/** Returns a note if no session file was found, because the files may be elsewhere. */
export function noSessionsNotes(source: LocalSource, files: readonly unknown[]): string[] {
  if (files.length > 0) return [];
  return [
    `No session files were found. ${elsewhere(source)}"tollbook tools --what-we-read" lists the searched folders.`,
  ];
}

function elsewhere(source: LocalSource): string {
  const setting = FOLDER_SETTINGS[source];
  return setting === null ? '' : `Set ${setting} if they are elsewhere; `;
}

/**
 * Returns the sessions modified at or after `from` (epoch ms), with the time of their newest file. A session in a file with
 * others was modified with its last call.
 */
export function recentSessions(
  { files, calls }: Pick<LocalUses, 'files' | 'calls'>,
  from: number,
): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  const add = (sessionId: string, at: number): unknown =>
    newest.set(sessionId, Math.max(at, newest.get(sessionId) ?? 0));
  for (const { sessionId, modifiedAt } of files) add(sessionId, modifiedAt);
  for (const { sessionId, at } of calls) add(sessionId, at);
  return new Map([...newest].filter(([, modifiedAt]) => modifiedAt >= from));
}
