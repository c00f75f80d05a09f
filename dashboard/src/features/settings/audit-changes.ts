import { exactDollars } from '../../../../src/domain/text/money.ts';
import { formatSeconds } from '../../../../src/domain/text/dates.ts';

/** One changed field; null = no value. */
export interface FieldChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Fields with epoch milliseconds. */
const TIME_FIELD = /(?:At|[uU]ntil|[fF]rom)$/u;
/** Fields with nano-dollars; amounts of limits only if their unit is `usd`. */
const MONEY_FIELD = /^(?:cost|costAfter|costBefore|monthlyCost|uncertainCost)$/u;
const NANO_PER_USD = 1_000_000_000;

type AuditFields = Readonly<Record<string, unknown>> | null;

/** Returns the fields that differ, as people typed them; for a created or deleted record, all fields. */
export function listChanges({
  before,
  after,
}: {
  readonly before: AuditFields;
  readonly after: AuditFields;
}): readonly FieldChange[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields
    .map((field) => ({
      field,
      before: fieldText(field, before?.[field], before?.['unit'] === 'usd'),
      after: fieldText(field, after?.[field], after?.['unit'] === 'usd'),
    }))
    .filter((change) => change.before !== change.after);
}

/** Formats a value; null = no value. @param isUsd the record counts dollars */
function fieldText(field: string, value: unknown, isUsd: boolean): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && TIME_FIELD.test(field)) return `${formatSeconds(value, 'UTC')} UTC`;
  if (typeof value === 'number' && (MONEY_FIELD.test(field) || (field === 'amount' && isUsd)))
    return exactDollars(value / NANO_PER_USD);
  if (Array.isArray(value) && value.every((part) => typeof part !== 'object')) return value.join(', ');
  if (isPlain(value))
    return Object.entries(value)
      .map(([name, part]) => `${name}: ${fieldText(name, part, isUsd) ?? 'none'}`)
      .join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** True for an object that holds single values only. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((part) => typeof part !== 'object' || part === null)
  );
}

/** Maximum size of changes that are shown without a click. */
const FIELDS_SHOWN_MAX = 3;
const CHARACTERS_SHOWN_MAX = 160;

export function isShort(changes: readonly FieldChange[]): boolean {
  const characters = changes.reduce((sum, { before, after }) => sum + (before?.length ?? 0) + (after?.length ?? 0), 0);
  return changes.length <= FIELDS_SHOWN_MAX && characters <= CHARACTERS_SHOWN_MAX;
}
