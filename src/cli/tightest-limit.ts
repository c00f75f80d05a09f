import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnLimit } from '../contract/own-limits.ts';
import { type ClientKey, fetchOwnLimits, findClientKey, shareLeft } from '../mcp/own-limits.ts';
import { resolveCacheFolder } from '../sessions/reading/file-cache.ts';
import { hostEnvironment } from '../sessions/reports/local-usage.ts';
import type { CommandTerminal } from './terminal.ts';

/** The limit with the smallest share left. */
export type TightLimit = Pick<OwnLimit, 'unit' | 'window' | 'amount'> & { readonly remaining: number };

/** A status line must not wait for a service that is away. */
const ANSWER_MS_MAX = 500;
/** Claude Code runs the status line several times a second while an answer streams. */
const CACHED_MS = 5_000;

interface CachedLimit {
  /** Epoch ms. */
  readonly at: number;
  /** Hash of service, key and session. */
  readonly id: string;
  /** null = no limit, or no answer. */
  readonly limit: TightLimit | null;
}

/**
 * Returns the tightest limit of the wrapped key that Claude Code uses; null = it uses none, no limit applies, or the
 * service gives no answer.
 */
export async function readTightestLimit(
  env: CommandTerminal['env'],
  sessionId: string | null,
  now: number,
): Promise<TightLimit | null> {
  const clientKey = findClientKey(env);
  if (!clientKey) return null;
  const file = join(resolveCacheFolder(hostEnvironment(env)), 'tightest-limit.json');
  const id = createHash('sha256')
    .update(JSON.stringify([clientKey, sessionId]))
    .digest('hex');
  const cached = readCached(file);
  if (cached?.id === id && cached.at <= now && now - cached.at < CACHED_MS) return cached.limit;
  const limit = await askTightestLimit(clientKey, sessionId);
  writeCached(file, { at: now, id, limit });
  return limit;
}

/** A service that is away leaves its part of the line empty. */
async function askTightestLimit(clientKey: ClientKey, sessionId: string | null): Promise<TightLimit | null> {
  const headers =
    sessionId !== null && /^[\w-]{1,128}$/.test(sessionId) ? { 'x-claude-code-session-id': sessionId } : {};
  try {
    const { limits } = await fetchOwnLimits(clientKey, AbortSignal.timeout(ANSWER_MS_MAX), headers);
    return findTightest(limits);
  } catch {
    return null;
  }
}

/** Limits that only warn count where no limit blocks. */
function findTightest(limits: readonly OwnLimit[]): TightLimit | null {
  const blocking = limits.filter(({ action }) => action === 'block');
  let tightest: TightLimit | null = null;
  let least = Infinity;
  for (const limit of blocking.length > 0 ? blocking : limits) {
    const share = shareLeft(limit);
    const { unit, window, amount, remaining } = limit;
    if (share >= least || remaining === null) continue;
    [tightest, least] = [{ unit, window, amount, remaining }, share];
  }
  return tightest;
}

function readCached(file: string): CachedLimit | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as CachedLimit;
  } catch {
    return null;
  }
}

/** Without a cache folder each line asks again. */
function writeCached(file: string, cached: CachedLimit): void {
  try {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(cached), { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // The line is printed all the same.
  }
}
