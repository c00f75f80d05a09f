import { formatDate } from '../text/dates.ts';

/**
 * Reasons why calls without an answer stay uncertain although the day was reported:
 * - `shared`    the report has more than these calls can have used: the key is also used outside the gateway
 * - `rewrapped` the key changed its wrapped keys during the day
 * - `unpriced`  the key has usage of a model without a price, which may be theirs
 * - `lacking`   the report lacks usage that went through the gateway
 * - `gone`      details of some calls were deleted
 * - `unshared`  the remainder cannot be divided at current prices
 * - `open`      they ended on a day that is not final
 * - `unshipped` other calls of the day may only be in the journal of a node
 * - `unread`    older days may still show usage outside the gateway
 * - `old`       their days are no longer checked
 */
export type UnresolvedReason =
  | 'shared'
  | 'rewrapped'
  | 'unpriced'
  | 'lacking'
  | 'gone'
  | 'unshared'
  | 'open'
  | 'unshipped'
  | 'unread'
  | 'old';

export interface UnresolvedCalls {
  readonly why: UnresolvedReason;
  /** The day that says so; its start. */
  readonly day: number;
}

/** Sentences for each reason; `day` is formatted. */
const SENTENCES: Readonly<Record<UnresolvedReason, (day: string) => string>> = {
  shared: (day) =>
    `The report of ${day} has more usage than these calls can explain: the key is also used outside the gateway.`,
  rewrapped: (day) => `The wrapped keys of this provider key changed on ${day}.`,
  unpriced: (day) => `On ${day} the key used a model without a price, possibly in these calls.`,
  lacking: (day) => `The report of ${day} lacks usage of the key that went through the gateway.`,
  gone: (day) => `Details of calls of ${day} were deleted.`,
  unshared: (day) => `The usage in the report of ${day} cannot be divided among these calls at current prices.`,
  open: (day) => `They ended after ${day}, and the next day is not final yet. They are corrected once it is.`,
  unshipped: (day) =>
    `A node that does not run may still have calls of ${day} in its journal. Start it again, or forget it (see npx tollbook nodes list).`,
  unread: () => 'Older days are still being synced and may show usage of the key outside the gateway.',
  old: (day) => `Days before ${day} are no longer checked.`,
};

export function unresolvedSentence({ why, day }: UnresolvedCalls): string {
  return SENTENCES[why](formatDate(day, 'UTC'));
}
