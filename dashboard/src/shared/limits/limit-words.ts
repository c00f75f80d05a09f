import type { LimitShape } from '../../../../src/api/contract-limits.ts';
import { formatUsd } from '../format/money.ts';
import { formatCount } from '../format/number.ts';

type Unit = LimitShape['unit'];

const NOUNS: Readonly<Record<Exclude<Unit, 'usd'>, string>> = {
  calls: 'calls',
  tokens: 'tokens',
  input_tokens: 'input tokens',
  output_tokens: 'output tokens',
  concurrency: 'calls at once',
};

const WINDOWS: Readonly<Record<LimitShape['window'], string>> = {
  minute: 'a minute',
  hour: 'an hour',
  day: 'a day',
  week: 'a week',
  month: 'a month',
  total: 'in total',
};

/** `$5.00`, `12,000 input tokens`. */
export function limitAmount(unit: Unit, amount: number): string {
  return unit === 'usd' ? formatUsd(amount) : `${formatCount(amount)} ${NOUNS[unit]}`;
}

/** What calls it counts: `key batch`, `each user`. */
function limitScope(scope: LimitShape['scope'], keyNames: ReadonlyMap<string, string>): string {
  switch (scope.kind) {
    case 'workspace':
      return 'the workspace';
    case 'key':
      return `key ${keyNames.get(scope.keyId) ?? scope.keyId}`;
    case 'provider':
      return `provider ${scope.provider}`;
    case 'model':
      return `model ${scope.pattern}`;
    case 'tag':
      return `${scope.key}=${scope.value}`;
    case 'each_tag':
      return `each ${scope.key}`;
  }
}

/** The label that somebody gave it, else what it says: `$5.00 a day for each user`. */
export function limitName(limit: LimitShape, keyNames: ReadonlyMap<string, string>): string {
  const { label, unit, amount, window, scope } = limit;
  if (label !== null && label !== '') return label;
  const span = unit === 'concurrency' ? '' : ` ${WINDOWS[window]}`;
  return `${limitAmount(unit, amount)}${span} for ${limitScope(scope, keyNames)}`;
}

/** How much of it is used and held, 0 to 1 and beyond; a limit of nothing is full. */
export function limitFullness({
  amountInForce,
  left,
}: {
  readonly amountInForce: number;
  readonly left: number;
}): number {
  return amountInForce === 0 ? 1 : (amountInForce - left) / amountInForce;
}
