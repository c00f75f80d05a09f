import type { LimitShape } from '../contract/limits.ts';
import { describeAmount, describeLimit } from '../domain/text/limit.ts';
import { parseAmount } from '../domain/limits/limit-fields.ts';

/** A limit in a sentence: what it does, and what holds for a while. */
export function limitSentence({ id, scope, unit, amount, window, action, raise, uncertainRule }: LimitShape): string {
  const inside = (shown: number): number => parseAmount(unit, shown, 'amount');
  const does = action === 'block' ? 'blocks' : 'warns';
  const limit = describeLimit({ scope, unit, amount: inside(amount), window });
  const raised =
    raise && raise.amount > amount
      ? ` Until ${raise.until.slice(0, 16).replace('T', ' ')} UTC it is ${describeAmount(unit, inside(raise.amount))}.`
      : '';
  const rest = uncertainRule === 'keep' ? '' : ` Calls of unknown cost: ${uncertainRule}.`;
  return `Limit ${id} ${does} at ${limit}.${raised}${rest}`;
}
