import type { LimitShape } from '../api/contract-limits.ts';
import { formatAmount, scopeText, unitText } from '../core/limit-fields.ts';

/** A limit in a sentence: what it does, and what holds for a while. */
export function describeLimit({ id, scope, unit, amount, window, action, raise, uncertainRule }: LimitShape): string {
  const does = action === 'block' ? 'blocks' : 'warns';
  const per = window === 'total' ? '' : ` per ${window}`;
  const rest = uncertainRule === 'keep' ? '' : ` Calls of unknown cost: ${uncertainRule}.`;
  const raised = raise ? ` Until ${raise.until} it is ${amountOf(unit, raise.amount)}.` : '';
  return `Limit ${id} ${does} ${scopeText(scope)} at ${amountOf(unit, amount)}${per}.${raised}${rest}`;
}

/** `$5.00`, `1,000 calls`. */
function amountOf(unit: LimitShape['unit'], amount: number): string {
  const shown = formatAmount(unit, amount);
  return unit === 'usd' ? shown : `${shown} ${unitText(unit)}`;
}
