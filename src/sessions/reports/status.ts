import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { windowAt } from '../../domain/time/window.ts';
import { BLOCK_MS } from '../../domain/sessions/plan-blocks.ts';
import { type UsageBlock, buildBlocks, type BlockForecast, forecastBlock } from './blocks.ts';
import { type LocalTotals, type ModelUse, sumUses } from './model-use.ts';

/** Current usage for a status line. */
export interface LocalStatus {
  /** null = the session has no usage yet. */
  readonly session: LocalTotals | null;
  readonly today: LocalTotals;
  /** The open block; null = none. */
  readonly block: (BlockForecast & { readonly totals: UsageBlock['totals'] }) | null;
}

export interface StatusOptions {
  readonly sessionId: string | null;
  readonly timeZone: string;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * Selects the calls that a status depends on, so that others need no price: those of the session, of today, and back to the
 * last pause that always starts a new block.
 *
 * @param calls of one assistant, the earliest first
 */
export function selectStatusCalls(calls: readonly LocalCall[], wish: StatusOptions): LocalCall[] {
  const today = startOfToday(wish);
  let from = calls.length;
  for (; from > 0; from -= 1) {
    const [earlier, at] = [calls[from - 1]?.at ?? 0, calls[from]?.at ?? wish.now];
    if (at - earlier >= BLOCK_MS && earlier < today) break;
  }
  return calls.filter((call, index) => index >= from || call.sessionId === wish.sessionId);
}

/**
 * Builds a status.
 * @param uses of one assistant, the earliest first, including at least those of `selectStatusCalls`
 */
export function buildStatus(uses: readonly ModelUse[], wish: StatusOptions): LocalStatus {
  const today = startOfToday(wish);
  const ofSession = uses.filter(({ call }) => call.sessionId === wish.sessionId);
  return {
    session: ofSession.length > 0 ? sumUses(ofSession) : null,
    today: sumUses(uses.filter(({ call }) => call.at >= today)),
    block: openBlock(uses, wish.now),
  };
}

function startOfToday({ timeZone, now }: StatusOptions): number {
  return windowAt('day', now, [{ zone: timeZone, since: 0 }]).start;
}

function openBlock(uses: readonly ModelUse[], now: number): LocalStatus['block'] {
  for (const block of buildBlocks(uses)) {
    const burn = forecastBlock(block, now);
    if (burn) return { ...burn, totals: block.totals };
  }
  return null;
}
