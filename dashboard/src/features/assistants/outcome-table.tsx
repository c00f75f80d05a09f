import type { ReactNode } from 'react';
import type { AssistantUsage } from '../../../../src/contract/assistants.ts';
import type { OutcomeShape } from '../../../../src/contract/observed.ts';
import { retailSum } from '../../shared/assistants/plan-coverage.tsx';
import { assistantName } from '../../shared/names/display-names.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { Count } from '../../shared/ui/values.tsx';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import { useOutcomes } from './queries.ts';
import type { PeriodChoice } from '../../shared/time/period.ts';

type UsageRow = AssistantUsage['rows']['assistant'][number];
type OutcomeCounts = Readonly<Record<(typeof COUNTS)[number], number | null>>;

const COUNTS = ['commits', 'pullRequests', 'linesAdded', 'linesRemoved'] as const;

/** Usage of one assistant, and what it says its work led to; null = it reported none. */
interface OutcomeRow extends OutcomeCounts {
  readonly assistant: string;
  readonly usage: UsageRow | undefined;
}

interface OutcomesProps {
  readonly period: PeriodChoice;
  readonly usage: AssistantUsage['rows']['assistant'];
}

/** Commits, pull requests and lines next to usage. Nothing is shown if no assistant reported any. */
export function Outcomes({ period, usage }: OutcomesProps): ReactNode {
  const { data } = useOutcomes(period);
  const rows = listOutcomeRows(data?.outcomes ?? [], usage);
  if (rows.length === 0) return null;
  const reporting = new Set(rows.map(({ assistant }) => assistant));
  const others = usage.filter(({ value }) => !reporting.has(value ?? ''));
  return (
    <Card title="Outcomes">
      <div className="stack">
        <DataTable
          name="Outcomes"
          columns={outcomeColumns}
          rows={rows}
          rowKey={({ assistant }) => assistant}
          foot={others.map(toUnattributedRow)}
        />
        <p className="soft">
          Assistants count their own outcomes; they are not checked against a repository. Usage is of the whole
          assistant, with sessions that led to none. “Not attributed” is usage of assistants that report no outcomes.
        </p>
      </div>
    </Card>
  );
}

const NO_COUNTS: OutcomeCounts = { commits: null, pullRequests: null, linesAdded: null, linesRemoved: null };

/** Returns a row for each assistant that reported an outcome. */
function listOutcomeRows(outcomes: readonly OutcomeShape[], usage: OutcomesProps['usage']): OutcomeRow[] {
  const reported = outcomes.filter((one) => COUNTS.some((name) => one[name] !== null));
  const byAssistant = Map.groupBy(reported, ({ assistant }) => assistant);
  return Array.from(byAssistant, ([assistant, own]) => ({
    assistant,
    usage: usage.find(({ value }) => value === assistant),
    ...own.reduce<OutcomeCounts>(addOutcomeCounts, NO_COUNTS),
  }));
}

function toUnattributedRow(usage: UsageRow): OutcomeRow {
  return { ...NO_COUNTS, assistant: usage.value ?? '', usage };
}

function addOutcomeCounts(sum: OutcomeCounts, one: OutcomeCounts): OutcomeCounts {
  const add = (a: number | null, b: number | null): number | null => (a === null ? b : a + (b ?? 0));
  return {
    commits: add(sum.commits, one.commits),
    pullRequests: add(sum.pullRequests, one.pullRequests),
    linesAdded: add(sum.linesAdded, one.linesAdded),
    linesRemoved: add(sum.linesRemoved, one.linesRemoved),
  };
}

const outcomeColumns: readonly TableColumn<OutcomeRow>[] = [
  {
    id: 'assistant',
    name: 'Assistant',
    cell: (row) => (
      <>
        {assistantName(row.assistant)}
        {isUnattributed(row) && <span className="soft beneath">Not attributed</span>}
      </>
    ),
  },
  { id: 'commits', name: 'Commits', figures: true, cell: ({ commits }) => <OutcomeCount of={commits} /> },
  {
    id: 'pullRequests',
    name: 'Pull requests',
    figures: true,
    wideOnly: true,
    cell: ({ pullRequests }) => <OutcomeCount of={pullRequests} />,
  },
  {
    id: 'lines',
    name: 'Lines',
    figures: true,
    wideOnly: true,
    cell: ({ linesAdded, linesRemoved }) =>
      linesAdded === null && linesRemoved === null ? (
        '–'
      ) : (
        <>
          +<Count of={linesAdded ?? 0} /> −<Count of={linesRemoved ?? 0} />
        </>
      ),
  },
  {
    id: 'usage',
    name: 'Usage',
    figures: true,
    cell: ({ usage }) => (usage === undefined ? '–' : <SummedCost {...retailSum(usage)} />),
  },
];

function isUnattributed(row: OutcomeRow): boolean {
  return COUNTS.every((name) => row[name] === null);
}

function OutcomeCount({ of }: { readonly of: number | null }): ReactNode {
  return of === null ? '–' : <Count of={of} />;
}
