import type { EntryDetail } from '../../../../src/contract/usage.ts';
import { formatUsd } from '../../shared/format/money.ts';

type UncertaintyReason = NonNullable<EntryDetail['doubt']>;

const REASON_TEXTS: Readonly<Record<UncertaintyReason, string>> = {
  no_price: 'Its model has no price',
  no_usage: 'The provider told no usage',
  length_tier: 'The provider told only the sum of several passes, and the price depends on the longest',
  container_size: 'It used a container of unknown size, whose fee is not in the cost',
  unreadable: 'The answer could not be read',
  client_left: 'The client left before the usage was told',
  reset: 'The connection to the provider broke',
  timeout: 'The provider fell silent',
  error_event: 'The answer ended in an error',
  truncated: 'The answer was cut short',
  overrun: 'It used more than could be foreseen',
  crash: 'Tollbook was killed while it was under way',
};

/** Why the cost of a call is in doubt, and how far. */
export function uncertaintyText({ doubt, uncertainUpTo }: Pick<EntryDetail, 'doubt' | 'uncertainUpTo'>): string {
  const why = doubt === null ? 'Its cost is not certain' : REASON_TEXTS[doubt];
  if (uncertainUpTo === undefined) return `${why}, so that its cost is not known.`;
  return `${why}. It may have cost up to ${formatUsd(uncertainUpTo)} more than what is shown; limits count with that.`;
}
