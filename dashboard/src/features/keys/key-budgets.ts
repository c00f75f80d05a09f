import type { LimitShape } from '../../../../src/contract/limits.ts';
import { writeAmount } from '../../shared/limits/limit-text.ts';
import type { FormFields } from '../../shared/ui/fields.ts';

/** Part of a key's usage that can have a budget. */
export type BudgetPart = Extract<LimitShape['scope'], { readonly kind: 'each' }>['of'];

/** Budgets that a key can have. `field` names the field of the form as errors of the service do. */
export const BUDGETS = [
  { part: 'session', field: 'budgets.session', label: 'Session budget' },
  { part: 'agent', field: 'budgets.agent', label: 'Agent budget' },
  { part: 'run', field: 'budgets.run', label: 'Run budget' },
] as const satisfies readonly { readonly part: BudgetPart; readonly field: string; readonly label: string }[];

/** Budgets of one key: blocking limits in dollars on each session, agent or run, in total. */
export type KeyBudgets = Readonly<Partial<Record<BudgetPart, LimitShape>>>;

/** Budgets as typed, in dollars. */
export type TypedBudgets = Readonly<Partial<Record<BudgetPart, string>>>;

/** Finds the budgets of a key among all limits. */
export function findBudgets(limits: readonly LimitShape[], keyId: string): KeyBudgets {
  const budgets = limits.flatMap((limit) => {
    const { scope, unit, window, action } = limit;
    const isBudget = scope.kind === 'each' && unit === 'usd' && window === 'total' && action === 'block';
    return isBudget && scope.keyId === keyId ? [[scope.of, limit] as const] : [];
  });
  return Object.fromEntries(budgets);
}

/** Reads the budgets of a new key; an empty field is no budget. */
export function readBudgets(fields: FormFields): TypedBudgets {
  return Object.fromEntries(
    BUDGETS.flatMap(({ part, field }) => (fields(field) === '' ? [] : [[part, fields(field)] as const])),
  );
}

export interface BudgetChange {
  readonly part: BudgetPart;
  /** Field of the form. */
  readonly field: string;
  /** Dollars as typed; null = remove the budget. */
  readonly amount: string | null;
}

/** Returns the budgets whose field was changed. */
export function readBudgetChanges(fields: FormFields, before: KeyBudgets): readonly BudgetChange[] {
  return BUDGETS.flatMap(({ part, field }) => {
    const amount = fields(field);
    return amount === budgetText(before[part]) ? [] : [{ part, field, amount: amount === '' ? null : amount }];
  });
}

/** Writes a budget for its field; '' = no budget. */
export function budgetText(budget: LimitShape | undefined): string {
  return budget === undefined ? '' : writeAmount('usd', budget.amount);
}
