import type { ReactNode } from 'react';
import type { AssistantUsage } from '../../../../src/contract/assistants.ts';
import type { OutcomeCounts } from '../../../../src/contract/observed.ts';
import { retailSum } from '../../shared/assistants/plan-coverage.tsx';
import { USAGE_COLUMNS } from '../../shared/assistants/usage-columns.tsx';
import { ValueButton } from '../../shared/chart/chart-legend.tsx';
import type { AddressChanges } from '../../shared/filter/address.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { assistantName } from '../../shared/names/display-names.ts';
import { SessionLink } from '../../shared/names/session-name.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { MoreRows } from '../../shared/ui/show-more.tsx';
import { Ago } from '../../shared/ui/values.tsx';
import { knownCost } from '../../shared/usage/cost-sum.ts';
import { describeAssistantValue } from './dimension-names.ts';
import { outcomeText } from './outcome-text.ts';

interface AssistantSessionTableProps {
  readonly answer: AssistantUsage;
  /** Asks for more sessions; null = all that can be asked for are shown. */
  readonly showMore: (() => void) | null;
  readonly onChange: (changes: AddressChanges) => void;
}

type SessionRow = AssistantUsage['sessions'][number];

/** Sessions with the person, the project and the cost. */
export function AssistantSessionTable({ answer, showMore, onChange }: AssistantSessionTableProps): ReactNode {
  const { sessions, sessionsLeftOut } = answer;
  const hasOutcomes = sessions.some(({ outcomes }) => outcomes !== null);
  return (
    <>
      <DataTable
        name="Sessions"
        columns={[...sessionColumns(onChange), ...USAGE_COLUMNS, ...(hasOutcomes ? [OUTCOMES] : [])]}
        rows={sessions}
        rowKey={({ session, assistant, people }) => session ?? JSON.stringify([assistant, people])}
        bar={(row) => knownCost(retailSum(row))}
      />
      <MoreRows count={sessionsLeftOut} noun="session" showMore={showMore} />
    </>
  );
}

/** On a phone the outcomes are under the name of the session. */
const OUTCOMES: TableColumn<SessionRow> = {
  id: 'outcomes',
  name: 'Outcomes',
  wideOnly: true,
  sortBy: ({ outcomes }) => outcomes?.commits ?? 0,
  cell: ({ outcomes }) =>
    outcomes === null ? <span className="soft whole">Not attributed</span> : <OutcomeCell outcomes={outcomes} />,
};

/** Commits and pull requests, with the lines beneath. */
function OutcomeCell({ outcomes }: { readonly outcomes: OutcomeCounts }): ReactNode {
  const { linesAdded, linesRemoved } = outcomes;
  const made = outcomeText({ ...outcomes, linesAdded: null, linesRemoved: null });
  const lines = outcomeText({ commits: null, pullRequests: null, linesAdded, linesRemoved });
  return (
    <>
      {made || lines}
      {made !== '' && <span className="soft beneath">{lines}</span>}
    </>
  );
}

function sessionColumns(onChange: AssistantSessionTableProps['onChange']): readonly TableColumn<SessionRow>[] {
  return [
    { id: 'session', name: 'Session', cell: (row) => <SessionCell row={row} /> },
    {
      id: 'person',
      name: 'Person and project',
      wideOnly: true,
      sortBy: peopleText,
      cell: ({ people, project }) => (
        <>
          {people.map(({ value, name }) => (
            <ValueButton key={value} name={name} pick={() => onChange({ person: value })} />
          ))}
          {project !== null && (
            <span className="soft beneath">
              <ValueButton name={describeAssistantValue('project', project, null)} pick={() => onChange({ project })} />
            </span>
          )}
        </>
      ),
    },
    {
      id: 'last',
      name: 'Last use',
      wideOnly: true,
      sortBy: ({ lastAt }) => lastAt,
      cell: ({ lastAt }) => <Ago at={lastAt} />,
    },
  ];
}

/** The first model, and how many more there are. */
function FirstModel({ models }: Pick<SessionRow, 'models'>): ReactNode {
  const [first, ...others] = models;
  if (first === undefined) return null;
  return (
    <span className="wide-only" title={models.join('\n')}>
      {' '}
      · {first}
      {others.length > 0 && ` +${others.length}`}
    </span>
  );
}

function SessionCell({ row }: { readonly row: SessionRow }): ReactNode {
  const { session, assistant, outcomes } = row;
  return (
    <>
      {session === null ? (
        <span className="soft">No session</span>
      ) : (
        <span className="cut">
          <SessionLink session={session} />
        </span>
      )}
      <span className="soft beneath">
        <span className="whole">
          {assistantName(assistant)}
          <FirstModel models={row.models} />
        </span>
        <span className="narrow"> · {isolated(peopleText(row))}</span>
        {outcomes !== null && <span className="narrow"> · {outcomeText(outcomes)}</span>}
      </span>
    </>
  );
}

function peopleText({ people }: SessionRow): string {
  return people.map(({ name }) => name).join(', ');
}
