import { homedir } from 'node:os';
import { join } from 'node:path';
import type { LocalCall, LocalSource } from '../../domain/sessions/local-call.ts';
import { cacheFolderOf } from '../sources/cache.ts';
import { type LoadedSessions, type LoadOptions as SourceOptions, loadSources } from '../sources/load.ts';
import { SOURCES } from '../sources/source-list.ts';
import type { Places } from '../sources/source.ts';
import { localPrices } from './local-prices.ts';
import { callsOfStatus, type Status, statusOf, type StatusWish } from './status.ts';
import { type CardOf, type Use, usesOf } from './use.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface LoadOptions extends Pick<SourceOptions, 'sources' | 'onProgress' | 'signal'> {
  readonly env: Env;
}

/** Where this machine keeps sessions and caches. */
export function placesOf(env: Env): Places {
  const home = (process.platform === 'win32' ? env['USERPROFILE'] : env['HOME']) || homedir();
  return { home, platform: process.platform, env };
}

/** Where what was found out is kept between runs: anything in it may be deleted. */
export function cacheFolder(env: Env): string {
  return cacheFolderOf(placesOf(env));
}

/** Every call that the sessions on this machine tell of, each once. Nothing leaves the machine. */
function loadLocalCalls({ env, ...options }: LoadOptions & Pick<SourceOptions, 'onCalls'>): Promise<LoadedSessions> {
  const places = placesOf(env);
  return loadSources({ ...options, places, cacheFolder: cacheFolderOf(places) });
}

export interface LocalUses extends LoadedSessions {
  /** The earliest first. */
  readonly uses: readonly Use[];
  /** The prices they were given. */
  readonly cardOf: CardOf;
}

/**
 * What the calls on this machine used, at list prices.
 *
 * @param options `version`: of this program
 */
export async function loadLocalUses(options: LoadOptions & { readonly version: string }): Promise<LocalUses> {
  const pricesOf = openPrices(options.env, options.version);
  const uses = new Map<LocalSource, readonly Use[]>();
  const onCalls = async (source: LocalSource, calls: readonly LocalCall[]): Promise<void> => {
    uses.set(source, usesOf(calls, await pricesOf(calls)));
  };
  const sessions = await loadLocalCalls({ ...options, onCalls });
  const all = options.sources.flatMap((source) => uses.get(source) ?? []);
  return { ...sessions, uses: all.toSorted((a, b) => a.call.at - b.call.at), cardOf: await pricesOf([]) };
}

/** Every folder that is looked into, there or not. */
export async function sessionFolders(
  sources: readonly LocalSource[],
  env: Env,
): Promise<(readonly [LocalSource, readonly string[]])[]> {
  const places = placesOf(env);
  return Promise.all(sources.map(async (name) => [name, (await SOURCES[name]()).folders(places)] as const));
}

/** The status of Claude Code on this machine. Only the calls that it depends on are priced. */
export async function loadStatus(env: Env, version: string, wish: StatusWish): Promise<Status> {
  const pricesOf = openPrices(env, version);
  const { calls } = await loadLocalCalls({ sources: ['claude_code'], env });
  const needed = callsOfStatus(calls, wish);
  return statusOf(usesOf(needed, await pricesOf(needed)), wish);
}

function openPrices(env: Env, version: string): ReturnType<typeof localPrices> {
  return localPrices({ file: join(cacheFolderOf(placesOf(env)), 'prices.json'), version });
}
