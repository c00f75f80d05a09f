import type { ReconciliationShape } from '../contract/reconciliation.ts';
import { REASON_NAMES, REASONS, type ReasonName } from '../domain/reconciliation/reasons.ts';
import type { TextLayout } from './cli.ts';
import { alignLeft, alignRight, cut, plainText, textLength } from './table.ts';
import { textLines } from './text-lines.ts';
import { formatDollars, usdColumn } from '../domain/text/money.ts';

type ReconciliationReasons = ReconciliationShape['organizations'][number];
type ReasonLine = ReconciliationReasons['lines'][number];
type ReasonPrice = ReconciliationReasons['prices'][number];

/** Keys, prices, and rates of a price that are shown; `--json` has more. */
const SHOWN_MAX = 5;
/** Wrapped keys of one provider key. */
const WRAPPED_SHOWN_MAX = 3;
const NAME_WIDTH = 22;
const AMOUNT_WIDTH = 14;

/** Meaning of each reason and what to do. */
const ADVICE: Readonly<Record<ReasonName, string>> = {
  outside_gateway:
    'Outside the gateway. Give these users a wrapped key (tollbook keys create) and replace the provider key.',
  uncertain_calls:
    'Lost responses. Corrected automatically once the day is final, after two days. If there is evidence against it, enter the cost: tollbook limits resolve',
  price_drift: 'Same usage, different price. Correct yours: tollbook prices set, or tollbook prices refresh',
  no_price:
    'Calls through the gateway without a price in the ledger. Set one from the day below on: tollbook prices set',
  batch: 'Batches, tiers or regions that the gateway does not see.',
  fees: 'Charges without reported usage, such as containers. Nothing to do.',
  unknown_key: 'Keys that look alike, show too little, or were deleted. Use one provider key per wrapped key.',
  not_final: 'These days are not final yet. Wait two days.',
  rounding: 'At most half a nano-dollar per call. Nothing to do.',
  unexplained: 'No reason found. See the lines below, and: tollbook doctor',
};

/** One line for each reason that has an amount, and always what is unexplained; below it what to do. */
export function reasonsText(compared: ReconciliationReasons, paper: TextLayout): string {
  const usd = usdColumn([
    ...Object.values(compared.reasons),
    ...[...compared.keys, ...compared.unresolvedCalls].map(({ amount }) => amount),
  ]);
  return REASONS.filter((reason) => compared.reasons[reason] !== 0 || reason === 'unexplained')
    .map((reason) => reasonText(reason, compared, { ...paper, usd }))
    .join('\n');
}

function reasonText(reason: ReasonName, compared: ReconciliationReasons, written: WrittenReason): string {
  const amount = compared.reasons[reason];
  const head = alignLeft(REASON_NAMES[reason], NAME_WIDTH) + alignRight(written.usd(amount), AMOUNT_WIDTH);
  if (amount === 0) return head;
  return [
    head,
    ...reasonDetails(reason, compared, written),
    ...textLines(ADVICE[reason]).map((line) => `  ${line}`),
  ].join('\n');
}

interface WrittenReason extends TextLayout {
  usd(amount: number | null): string;
}

function reasonDetails(
  reason: ReasonName,
  { keys, unresolvedCalls, prices }: ReconciliationReasons,
  written: WrittenReason,
): string[] {
  const max = written.isPiped ? Infinity : SHOWN_MAX;
  if (reason === 'price_drift' || reason === 'no_price') {
    const own = prices.filter(({ price }) => (price === 'none') === (reason === 'no_price'));
    return own.slice(0, max).flatMap((price) => priceLines(price, max));
  }
  const own: readonly ByKey[] =
    reason === 'uncertain_calls' ? unresolvedCalls : keys.filter((one) => one.reason === reason);
  const shown = own.slice(0, max).flatMap((one) => keyLines(one, written));
  const rest = own.slice(max);
  const sum = rest.reduce((all, { amount }) => all + amount, 0);
  return [...shown, ...(rest.length > 0 ? [detail(`${rest.length} more`, sum, written)] : [])];
}

/** Formats a line below the amount of a reason; a longer name continues after the amount. */
function detail(name: string, amount: number, { usd, width }: WrittenReason): string {
  const room = NAME_WIDTH - 4;
  const text = alignRight(usd(amount), AMOUNT_WIDTH);
  return textLength(name) <= room
    ? `    ${alignLeft(name, room)}${text}`
    : `    ${alignLeft('', room)}${text}  ${cut(name, width - NAME_WIDTH - AMOUNT_WIDTH - 2)}`;
}

interface ByKey {
  readonly key: ReasonLine['key'];
  readonly amount: number;
  readonly why?: string | null;
}

function keyLines({ key, amount, why = null }: ByKey, written: WrittenReason): string[] {
  const notes = [wrappedText(key), why ?? ''].flatMap((text) => textLines(plainText(text)));
  return [detail(plainText(keyText(key)), amount, written)].concat(notes.map((line) => `      ${line}`));
}

/** Names the wrapped keys of this workspace that use the provider's key; empty = none. */
export function wrappedText(key: ReasonLine['key']): string {
  const names = key?.wrapped ?? [];
  const more = names.length - WRAPPED_SHOWN_MAX;
  if (names.length === 0) return '';
  return `wrapped as ${names.slice(0, WRAPPED_SHOWN_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Names the provider's key. */
export function keyText(key: ReasonLine['key']): string {
  return key === null ? '(no key)' : (key.name ?? key.id);
}

function priceLines({ model, price, since, isOlder, amount, rates }: ReasonPrice, ratesMax: number): string[] {
  const whose = { custom: 'custom price', list: 'the price list', none: 'no price' }[price];
  return [
    ...textLines(
      `${formatDollars(amount)} ${plainText(model ?? '')}, ${whose}, ${isOlder ? `on ${since} or earlier` : `since ${since}`}`,
    ).map((line) => `    ${line}`),
    ...rates.slice(0, ratesMax).map(({ class: name, terms, ours, theirs }) => {
      const words = [name, terms].filter((word) => word !== '').join(' ');
      return `      ${words}: ledger ${ours === null ? 'none' : formatDollars(ours)}, provider ${formatDollars(theirs)} per million`;
    }),
  ];
}
