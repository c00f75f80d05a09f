import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { windowAt } from '../../domain/time/window.ts';
import { type Block, BLOCK_MS, blocksOf, type Burn, burnOf } from './blocks.ts';
import { sumOf, type Totals } from './totals.ts';
import type { Use } from './use.ts';

/** What one line can say of the present. */
export interface Status {
  /** null = nothing is told of the session yet. */
  readonly session: Totals | null;
  readonly today: Totals;
  /** The open one; null = there is none. */
  readonly block: (Burn & { readonly totals: Block['totals'] }) | null;
}

export interface StatusWish {
  readonly sessionId: string | null;
  readonly timeZone: string;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * The calls that a status depends on, so that the others need no price: the session's, today's, and those back to the
 * last pause that begins a block whatever was before it.
 *
 * @param calls of one assistant, the earliest first
 */
export function callsOfStatus(calls: readonly LocalCall[], wish: StatusWish): LocalCall[] {
  const today = startOfToday(wish);
  let from = calls.length;
  for (; from > 0; from -= 1) {
    const [earlier, at] = [calls[from - 1]?.at ?? 0, calls[from]?.at ?? wish.now];
    if (at - earlier >= BLOCK_MS && earlier < today) break;
  }
  return calls.filter((call, index) => index >= from || call.sessionId === wish.sessionId);
}

/** @param uses of one assistant, the earliest first; at least those of `callsOfStatus` */
export function statusOf(uses: readonly Use[], wish: StatusWish): Status {
  const today = startOfToday(wish);
  const ofSession = uses.filter(({ call }) => call.sessionId === wish.sessionId);
  return {
    session: ofSession.length > 0 ? sumOf(ofSession) : null,
    today: sumOf(uses.filter(({ call }) => call.at >= today)),
    block: openBlock(uses, wish.now),
  };
}

function startOfToday({ timeZone, now }: StatusWish): number {
  return windowAt('day', now, [{ zone: timeZone, since: 0 }]).start;
}

function openBlock(uses: readonly Use[], now: number): Status['block'] {
  for (const block of blocksOf(uses)) {
    const burn = burnOf(block, now);
    if (burn) return { ...burn, totals: block.totals };
  }
  return null;
}
