/** One changed field; null = no value. */
export interface FieldChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Fields with epoch milliseconds. */
const TIME_FIELD = /At$/u;

type AuditFields = Readonly<Record<string, unknown>> | null;

/** Returns the fields that differ; for a created or deleted record, all fields. */
export function listChanges({
  before,
  after,
}: {
  readonly before: AuditFields;
  readonly after: AuditFields;
}): readonly FieldChange[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields
    .map((field) => ({ field, before: fieldText(field, before?.[field]), after: fieldText(field, after?.[field]) }))
    .filter((change) => change.before !== change.after);
}

/** Formats a value; null = no value. */
function fieldText(field: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && TIME_FIELD.test(field)) return new Date(value).toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Maximum size of changes that are shown without a click. */
const FIELDS_SHOWN_MAX = 3;
const CHARACTERS_SHOWN_MAX = 160;

export function isShort(changes: readonly FieldChange[]): boolean {
  const characters = changes.reduce((sum, { before, after }) => sum + (before?.length ?? 0) + (after?.length ?? 0), 0);
  return changes.length <= FIELDS_SHOWN_MAX && characters <= CHARACTERS_SHOWN_MAX;
}
