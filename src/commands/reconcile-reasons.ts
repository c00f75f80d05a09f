import type { ReconciliationShape } from '../api/contract-reconciliation.ts';
import { REASONS, type ReasonName } from '../core/reconcile/reasons.ts';
import { plainText } from './table.ts';
import { textLines } from './text-lines.ts';
import { usdText } from './usd-text.ts';

type Compared = ReconciliationShape['organizations'][number];
type Price = Compared['prices'][number];

/** Keys, prices, and rates of a price that are shown; `--json` has more. */
const SHOWN_MAX = 5;
const NAME_WIDTH = 22;
const AMOUNT_WIDTH = 14;

/** What each means, and what to do. */
const ADVICE: Readonly<Record<ReasonName, string>> = {
  not_through_the_gate:
    'Used directly. Give its users a wrapped key (tollbook keys create) and replace the provider key.',
  uncertain_calls:
    'Answers were lost. Corrected by itself where a key is used by the gate alone; else: tollbook limits resolve.',
  price_drift: 'The same use at another price. Correct yours: tollbook prices set, or prices refresh.',
  no_price:
    'Calls through the gate for which the book had no price. Set it, from the day below on: tollbook prices set.',
  batch:
    'Batches, or tiers and places that the gate is not told of: they can’t pass it, or cost other than it was told.',
  fees: 'Charged without use that the provider reports, such as containers. Nothing to do.',
  key_unknown: 'Keys that look alike, show too little, or were erased. Use one provider key for each wrapped key.',
  settling: 'The provider still changes these days. Wait two days.',
  rounding: 'Half a nano-dollar for each call at most. Nothing to do.',
  unexplained: 'No reason was found. Look at the lines below, and at: tollbook doctor.',
};

/** One line for each reason that has an amount, and always what is unexplained; below it what to do. */
export function reasonsText(compared: Compared): string {
  return REASONS.filter((reason) => compared.reasons[reason] !== 0 || reason === 'unexplained')
    .map((reason) => reasonText(reason, compared))
    .join('\n');
}

function reasonText(reason: ReasonName, compared: Compared): string {
  const amount = compared.reasons[reason];
  const head = `${reason.replaceAll('_', ' ').padEnd(NAME_WIDTH)}${usdText(amount).padStart(AMOUNT_WIDTH)}`;
  if (amount === 0) return head;
  return [head, ...detailsOf(reason, compared), ...textLines(ADVICE[reason]).map((line) => `  ${line}`)].join('\n');
}

function detailsOf(reason: ReasonName, { keys, prices }: Compared): string[] {
  if (reason === 'price_drift' || reason === 'no_price') {
    const own = prices.filter(({ price }) => (price === 'none') === (reason === 'no_price'));
    return own.slice(0, SHOWN_MAX).flatMap(priceLines);
  }
  const own = keys.filter((one) => one.reason === reason);
  const shown = own.slice(0, SHOWN_MAX).map(({ key, amount }) => {
    const name = key === null ? '(no key)' : (key.name ?? key.id);
    return detail(plainText(name), amount);
  });
  return [...shown, ...(own.length > SHOWN_MAX ? [`    ${own.length - SHOWN_MAX} more keys with --json`] : [])];
}

function detail(name: string, amount: number): string {
  const room = NAME_WIDTH - 4;
  return `    ${name.length > room ? `${name.slice(0, room - 1)}…` : name.padEnd(room)}${usdText(amount).padStart(AMOUNT_WIDTH)}`;
}

function priceLines({ model, price, version, since, isOlder, amount, rates }: Price): string[] {
  const whose = { own: `own price ${version ?? ''}`, list: 'price list', none: 'no price' }[price];
  return [
    ...textLines(
      `${usdText(amount)} ${plainText(model ?? '')}, ${whose}, since ${since}${isOlder ? ' or before' : ''}`,
    ).map((line) => `    ${line}`),
    ...rates.slice(0, SHOWN_MAX).map(({ class: name, terms, ours, theirs }) => {
      const words = [name, terms].filter((word) => word !== '').join(' ');
      return `      ${words}: ours ${ours === null ? 'none' : usdText(ours)}, theirs ${usdText(theirs)} for a million`;
    }),
  ];
}
