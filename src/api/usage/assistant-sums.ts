import type { AssistantDimension, AssistantSums } from '../../contract/assistants.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import { toIso } from '../../domain/time/period.ts';
import { addTotals, emptySum, type MutableTotals } from '../../domain/usage/usage-totals.ts';
import type { AssistantRow, NamedValue } from './assistant-rows.ts';
import { OTHER } from './series.ts';
import { uncertaintyFields } from './uncertainty.ts';

/** Sum of rows with the part of its cost that subscriptions cover, nano-USD. */
interface CoveredSum {
  readonly totals: MutableTotals;
  covered: bigint;
}

/** Sums rows of assistants, at list price. */
export function sumAssistantRows(rows: Iterable<AssistantRow>): AssistantSums {
  const sum: CoveredSum = { totals: emptySum(), covered: 0n };
  for (const { totals, isCovered } of rows) {
    addTotals(sum.totals, totals);
    if (isCovered) sum.covered += totals.cost;
  }
  return coveredSumView(sum);
}

function coveredSumView({ totals, covered }: CoveredSum): AssistantSums {
  return {
    calls: totals.calls,
    ...(totals.uncountedRecords > 0 && { callsUnknown: true }),
    retailCost: usdFromNano(totals.cost),
    coveredCost: usdFromNano(covered),
    inputTokens: totals.inputTokens,
    cacheReadTokens: totals.cacheReadTokens,
    cacheWriteTokens: totals.cacheWriteTokens,
    outputTokens: totals.outputTokens,
    ...uncertaintyFields(totals),
  };
}

/** Returns the value of a property of a row; null = not attributed. */
export function readValue(row: AssistantRow, dimension: AssistantDimension): string | null {
  return nameValue(row, dimension)?.value ?? null;
}

/** Returns the value of a property with its name for people; null = not attributed. */
function nameValue(row: AssistantRow, dimension: AssistantDimension): NamedValue | null {
  if (dimension === 'person' || dimension === 'credential') return row[dimension];
  const value = row[dimension];
  return value === null ? null : { value, name: value };
}

/** Rows of one value of a property. */
interface ValueRows {
  readonly named: NamedValue | null;
  readonly rows: readonly AssistantRow[];
}

function groupByValue(rows: readonly AssistantRow[], dimension: AssistantDimension): ValueRows[] {
  return [...Map.groupBy(rows, (row) => readValue(row, dimension)).values()].map((group) => ({
    named: group[0] ? nameValue(group[0], dimension) : null,
    rows: group,
  }));
}

/** Values that are shown apart. */
const VALUES_MAX = 50;

/** Returns the sums of a property, highest cost first, with a sum of all values beyond the first. */
export function breakDown(rows: readonly AssistantRow[], dimension: AssistantDimension) {
  const groups = groupByValue(rows, dimension)
    .map((group) => Object.assign(group, { sums: sumAssistantRows(group.rows) }))
    .toSorted((a, b) => compareRetailCost(a.sums, b.sums));
  const [shown, others] = [groups.slice(0, VALUES_MAX), groups.slice(VALUES_MAX)];
  return [
    ...shown.map(({ named, sums }) => Object.assign({ value: named?.value ?? null, name: named?.name ?? null }, sums)),
    ...(others.length > 0
      ? [{ value: OTHER, name: null, ...sumAssistantRows(others.flatMap((one) => one.rows)) }]
      : []),
  ];
}

/** Returns the values of a property, by name. */
export function listValues(rows: readonly AssistantRow[], dimension: AssistantDimension): NamedValue[] {
  const values = groupByValue(rows, dimension).flatMap(({ named }) => named ?? []);
  return values.toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, CHOICES_MAX);
}

/** Values that a filter offers. */
const CHOICES_MAX = 500;

/** Facts of the rows of one session. */
interface SessionFacts {
  readonly assistant: AssistantRow['assistant'];
  readonly people: NamedValue[];
  readonly project: string | null;
  /** ISO 8601 */
  readonly firstAt: string;
  readonly lastAt: string;
}

/** Returns whose session it is, and when it was used. */
export function sessionFacts({ assistant }: AssistantRow, rows: readonly AssistantRow[]): SessionFacts {
  return {
    assistant,
    people: [...new Map(rows.map(({ person }) => [person.value, person])).values()],
    project: rows.find(({ project }) => project !== null)?.project ?? null,
    firstAt: toIso(Math.min(...rows.map(({ firstAt }) => firstAt))),
    lastAt: toIso(Math.max(...rows.map(({ lastAt }) => lastAt))),
  };
}

export function compareRetailCost(a: AssistantSums, b: AssistantSums): number {
  return b.retailCost - a.retailCost || b.calls - a.calls;
}
