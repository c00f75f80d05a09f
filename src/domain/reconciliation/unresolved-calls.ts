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
  | 'unread'
  | 'old';

export interface UnresolvedCalls {
  readonly why: UnresolvedReason;
  /** The day that says so; its start. */
  readonly day: number;
}

/** Sentences for each reason; `day` is formatted. */
const SENTENCES: Readonly<Record<UnresolvedReason, (day: string) => string>> = {
  shared: (day) => `The report of ${day} has more than its calls may have used: the key is used beside the gate too.`,
  rewrapped: (day) => `The key did not stand behind the same wrapped keys all of ${day}.`,
  unpriced: (day) => `On ${day} the key has use of a model without a price, which may be theirs.`,
  lacking: (day) => `The report of ${day} lacks use of the key that passed the gate.`,
  gone: (day) => `The detail of calls of ${day} is deleted.`,
  unshared: (day) => `What the report of ${day} has can’t be shared among them at the prices that are set.`,
  open: (day) => `They ended when ${day} was over, and the day after may still change: corrected when it is closed.`,
  unread: () => 'Older days are still being read, which may show that the key is used beside the gate too.',
  old: (day) => `Days before ${day} are looked at no more.`,
};

export function unresolvedSentence({ why, day }: UnresolvedCalls): string {
  return SENTENCES[why](formatDate(day, 'UTC'));
}
