import type { ReactNode } from 'react';
import type { AssistantDimension, AssistantUsage } from '../../../../src/contract/assistants.ts';
import { retailSum } from '../../shared/assistants/plan-coverage.tsx';
import { USAGE_COLUMNS } from '../../shared/assistants/usage-columns.tsx';
import { Swatch, ValueButton } from '../../shared/chart/chart-legend.tsx';
import { seriesColors } from '../../shared/chart/series-colors.ts';
import { OTHER_VALUES, stackLayers } from '../../shared/chart/stack.ts';
import type { AddressChanges } from '../../shared/filter/address.ts';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { knownCost } from '../../shared/usage/cost-sum.ts';
import { describeAssistantValue, DIMENSION_TITLES } from './dimension-names.ts';

interface AssistantBreakdownProps {
  readonly answer: AssistantUsage;
  readonly by: AssistantDimension;
  readonly onChange: (changes: AddressChanges) => void;
}

type ValueRow = AssistantUsage['rows'][AssistantDimension][number];

/** Usage by value of a property, most expensive first. A click on a name filters by it. */
export function AssistantBreakdown({ answer, by, onChange }: AssistantBreakdownProps): ReactNode {
  const charted = stackLayers(answer.series, 'cost').map(({ value }) => value);
  const colors = new Map(seriesColors(charted).map((color, index) => [charted[index], color]));
  const rows = answer.rows[by];
  return (
    <DataTable
      name={`Usage by ${DIMENSION_TITLES[by].toLowerCase()}, totals`}
      columns={[valueColumn(colors, by, onChange), ...USAGE_COLUMNS]}
      rows={rows.filter((row) => row.value !== OTHER_VALUES)}
      rowKey={(row) => `value ${row.value ?? ''}`}
      sort={{ column: 'cost', descending: true }}
      bar={(row) => knownCost(retailSum(row))}
      foot={rows.filter((row) => row.value === OTHER_VALUES)}
    />
  );
}

function valueColumn(
  colors: ReadonlyMap<string | null | undefined, string>,
  by: AssistantDimension,
  onChange: AssistantBreakdownProps['onChange'],
): TableColumn<ValueRow> {
  const nameOf = ({ value, name }: ValueRow): string => describeAssistantValue(by, value, name);
  return {
    id: 'value',
    name: DIMENSION_TITLES[by],
    sortBy: nameOf,
    cell: (row) => (
      <span className="named">
        {colors.has(row.value) && <Swatch color={colors.get(row.value)} />}{' '}
        <ValueButton name={nameOf(row)} pick={filterByValue(row, by, onChange)} />
      </span>
    ),
  };
}

/** Returns the action of a click on a row; null for all others, and usage that is not attributed. */
function filterByValue(
  { value }: ValueRow,
  by: AssistantDimension,
  onChange: AssistantBreakdownProps['onChange'],
): (() => void) | null {
  return value === null || value === OTHER_VALUES ? null : () => onChange({ [by]: value });
}
