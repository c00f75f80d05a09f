import { formatDate } from '../text/dates.ts';

/**
 * Why calls without an answer keep their doubt, though the provider reported their day:
 * - `shared`    what the report has can't all be theirs, so that the key is used beside the gate too
 * - `rewrapped` the key did not stand behind the same wrapped keys all day
 * - `unpriced`  the key has use of a model without a price, which may be theirs
 * - `lacking`   the report lacks use that passed the gate
 * - `gone`      the detail of some of them is deleted
 * - `unshared`  what is left can't be shared among them at the prices that are set
 * - `open`      they ended on a day that may still change
 * - `unread`    older days may still show that the key is used beside the gate
 * - `old`       nobody looks at their days any more
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

/** How a person reads it; `day` as a date. */
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
