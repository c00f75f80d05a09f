import type { ReactNode } from 'react';
import type { AssistantUsage } from '../../../../src/contract/assistants.ts';
import type { OutcomeCounts } from '../../../../src/contract/observed.ts';
import { retailSum } from '../../shared/assistants/plan-coverage.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { Count } from '../../shared/ui/values.tsx';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import { describeAssistantValue, DIMENSION_TITLES } from './dimension-names.ts';
import { outcomeText } from './outcome-text.ts';

type OutcomeDimension = 'assistant' | 'person';
type UsageRow = AssistantUsage['rows'][OutcomeDimension][number];

/** Usage of one assistant or person, and what it led to; null = no outcomes are reported. */
interface OutcomeRow {
  readonly value: string;
  readonly name: string;
  readonly counts: OutcomeCounts | null;
  readonly usage: UsageRow | undefined;
}

interface OutcomesProps {
  readonly answer: AssistantUsage;
}

/** Commits, pull requests and lines next to usage. Nothing is shown if no assistant reported any. */
export function Outcomes({ answer }: OutcomesProps): ReactNode {
  const { outcomes } = answer;
  if (outcomes === null || outcomes.assistant.length === 0) return null;
  return (
    <Card title="Outcomes">
      <div className="stack">
        <OutcomeTable answer={answer} by="assistant" />
        <OutcomeTable answer={answer} by="person" />
        <p className="soft">
          Assistants count their own outcomes; they are not checked against a repository. Usage is of the whole
          assistant or person, with sessions that led to none. “Not attributed” is usage without reported outcomes.
          {outcomes.noSession !== null && ` ${outcomeText(outcomes.noSession)} name no session.`}
        </p>
      </div>
    </Card>
  );
}

function OutcomeTable({ answer, by }: OutcomesProps & { readonly by: OutcomeDimension }): ReactNode {
  const usage = answer.rows[by];
  const rows = (answer.outcomes?.[by] ?? []).map(({ value, name, ...counts }): OutcomeRow => {
    return { value, name, counts, usage: usage.find((row) => row.value === value) };
  });
  const reporting = new Set<string | null>(rows.map(({ value }) => value));
  const others = usage.filter(({ value }) => !reporting.has(value));
  const unattributed = others.map((row): OutcomeRow => {
    return { value: row.value ?? '', name: row.name ?? '', counts: null, usage: row };
  });
  return (
    <DataTable
      name={by === 'assistant' ? 'Outcomes' : 'Outcomes by person'}
      columns={outcomeColumns(by)}
      rows={[...rows, ...unattributed]}
      rowKey={({ value }) => value}
    />
  );
}

function outcomeColumns(by: OutcomeDimension): readonly TableColumn<OutcomeRow>[] {
  return [
    {
      id: 'name',
      name: DIMENSION_TITLES[by],
      cell: ({ value, name, counts }) => (
        <>
          {describeAssistantValue(by, value, name)}
          {counts === null && <span className="soft beneath">Not attributed</span>}
        </>
      ),
    },
    ...COUNT_COLUMNS,
  ];
}

const COUNT_COLUMNS: readonly TableColumn<OutcomeRow>[] = [
  { id: 'commits', name: 'Commits', figures: true, cell: ({ counts }) => <OutcomeCount of={counts?.commits} /> },
  {
    id: 'pullRequests',
    name: 'Pull requests',
    figures: true,
    wideOnly: true,
    cell: ({ counts }) => <OutcomeCount of={counts?.pullRequests} />,
  },
  { id: 'lines', name: 'Lines', figures: true, wideOnly: true, cell: ({ counts }) => <LineCounts of={counts} /> },
  {
    id: 'usage',
    name: 'Usage',
    figures: true,
    cell: ({ usage }) => (usage === undefined ? '–' : <SummedCost {...retailSum(usage)} />),
  },
];

function LineCounts({ of }: { readonly of: OutcomeCounts | null }): ReactNode {
  if (of === null || (of.linesAdded === null && of.linesRemoved === null)) return '–';
  return (
    <>
      +<Count of={of.linesAdded ?? 0} /> −<Count of={of.linesRemoved ?? 0} />
    </>
  );
}

function OutcomeCount({ of = null }: { readonly of: number | null | undefined }): ReactNode {
  return of === null ? '–' : <Count of={of} />;
}
