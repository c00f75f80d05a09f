import type { ReactNode } from 'react';
import type { SessionDetail } from '../../../../src/contract/sessions.ts';
import { countNoun } from '../../../../src/domain/text/counts.ts';
import { useAddress } from '../../shared/filter/address.ts';
import { readText } from '../../shared/filter/usage-filter.ts';
import { useRefusals } from '../../shared/refusals/queries.ts';
import { RefusalsOfLimits } from '../../shared/refusals/refusal-table.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { ButtonLink, PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { Count, Instant } from '../../shared/ui/values.tsx';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import { useCallSession } from './queries.ts';

/** One session of calls: its sums, its tree of agents, its models, runs and keys. */
export function SessionPage(): ReactNode {
  const { search: name } = useAddress((search) => readText(search, 'name') ?? '');
  if (name === '') return <NoSessionName />;
  return (
    <Page
      title="Session"
      lead={<code>{name}</code>}
      actions={
        <ButtonLink to="/calls" search={{ session: name }} variant="default">
          Calls
        </ButtonLink>
      }
    >
      <SessionLoader name={name} />
      <SessionRefusals name={name} />
    </Page>
  );
}

function SessionLoader({ name }: { readonly name: string }): ReactNode {
  const session = useCallSession(name);
  return (
    <Loaded of={session} rows={12}>
      {(found) => <SessionContent detail={found} />}
    </Loaded>
  );
}

/** Calls of the session that limits refused; nothing without any. */
function SessionRefusals({ name }: { readonly name: string }): ReactNode {
  const { data } = useRefusals({ session: name, limit: REFUSALS_SHOWN });
  if (data === undefined || data.refusals.length === 0) return null;
  return (
    <Card title="Refused calls" aside={data.nextCursor === null ? undefined : `The newest ${REFUSALS_SHOWN}`}>
      <RefusalsOfLimits refusals={data.refusals} />
    </Card>
  );
}

const REFUSALS_SHOWN = 20;

function NoSessionName(): ReactNode {
  return (
    <Page title="Session">
      <EmptyState icon="sessions" title="No session" action={<PageLink to="/sessions">All sessions</PageLink>}>
        The address names no session.
      </EmptyState>
    </Page>
  );
}

interface SessionProps {
  readonly detail: SessionDetail;
}

function SessionContent({ detail }: SessionProps): ReactNode {
  const { session, agents, agentsLeftOut, models, runs, runsLeftOut, keys } = detail;
  return (
    <>
      <SessionFigures detail={detail} />
      <Card title="Agents">
        <DataTable
          name="Agents"
          columns={agentColumns(session)}
          rows={agents}
          rowKey={({ agent }) => (agent === null ? '' : `agent ${agent}`)}
        />
        {agentsLeftOut > 0 && (
          <p className="soft">{countNoun(agentsLeftOut, 'more agent')}, contained in the sums above.</p>
        )}
      </Card>
      <div className="halves">
        <Card title="Models">
          <DataTable name="Models" columns={shareColumns('Model')} rows={models} rowKey={({ value }) => value} />
        </Card>
        <Card title="Keys">
          <DataTable
            name="Keys"
            columns={shareColumns('Key')}
            rows={keys.map((key) => Object.assign({ id: key.value }, key, { value: key.name }))}
            rowKey={({ id }) => id ?? ''}
          />
        </Card>
      </div>
      {runs.length > 0 && (
        <Card title="Runs">
          <DataTable
            name="Runs"
            columns={[...shareColumns('Run'), lastCallColumn]}
            rows={runs}
            rowKey={({ value }) => value}
          />
          {runsLeftOut > 0 && <p className="soft">{countNoun(runsLeftOut, 'older run')}.</p>}
        </Card>
      )}
    </>
  );
}

function SessionFigures({ detail }: SessionProps): ReactNode {
  const { total, firstCallAt, lastCallAt, assistantSession } = detail;
  const synced = assistantSession?.synced ?? null;
  return (
    <div className="cards">
      <Figure name="Cost" value={<SummedCost {...total} />} />
      <Figure
        name="Calls"
        value={<Count of={total.calls} />}
        note={total.failedCalls > 0 ? `${countNoun(total.failedCalls, 'call')} failed` : undefined}
      />
      <Figure
        name="Tokens"
        value={<Count of={total.inputTokens + total.outputTokens} unit="tokens" />}
        note="input and output"
      />
      <Figure
        name="Last call"
        value={<Instant at={lastCallAt} />}
        note={
          <>
            First call <Instant at={firstCallAt} />
          </>
        }
      />
      {synced !== null && (
        <Figure
          name="Outside the gateway"
          value={<SummedCost {...synced} />}
          note={`${countNoun(synced.calls, 'call')} in the synced file of this assistant session`}
        />
      )}
    </div>
  );
}

type AgentRow = SessionDetail['agents'][number];

function agentColumns(session: string): readonly TableColumn<AgentRow>[] {
  return [
    {
      id: 'agent',
      name: 'Agent',
      cell: ({ agent, depth }) => (
        <span style={{ paddingInlineStart: `${Math.min(depth, INDENTS_MAX) * 1.25}rem` }}>
          {agent === null ? (
            'Main agent'
          ) : (
            <PageLink to="/calls" search={{ session, agent }}>
              {agent}
            </PageLink>
          )}
        </span>
      ),
    },
    { id: 'models', name: 'Models', wideOnly: true, cell: ({ models }) => models.join(', ') },
    { id: 'classes', name: 'Class', wideOnly: true, cell: ({ requestClasses }) => requestClasses.join(', ') },
    {
      id: 'time',
      name: 'Calls from, to',
      wideOnly: true,
      cell: ({ firstCallAt, lastCallAt }) =>
        firstCallAt === null || lastCallAt === null ? null : (
          <>
            <Instant at={firstCallAt} /> – <Instant at={lastCallAt} />
          </>
        ),
    },
    { id: 'calls', name: 'Calls', figures: true, cell: ({ own }) => <Count of={own.calls} /> },
    { id: 'own', name: 'Cost', figures: true, cell: ({ own }) => <SummedCost {...own} /> },
    {
      id: 'all',
      name: 'With sub-agents',
      figures: true,
      cell: ({ withDescendants }) => <SummedCost {...withDescendants} />,
    },
  ];
}

/** Deeper agents have the indent of this depth. */
const INDENTS_MAX = 8;

type ShareRow = SessionDetail['models'][number] & { readonly id?: string; readonly lastCallAt?: string };

function shareColumns(name: string): readonly TableColumn<ShareRow>[] {
  return [
    { id: 'value', name, cell: ({ value }) => value },
    { id: 'calls', name: 'Calls', figures: true, cell: ({ calls }) => <Count of={calls} /> },
    { id: 'cost', name: 'Cost', figures: true, cell: (row) => <SummedCost {...row} /> },
  ];
}

const lastCallColumn: TableColumn<ShareRow> = {
  id: 'last',
  name: 'Last call',
  wideOnly: true,
  cell: ({ lastCallAt }) => lastCallAt !== undefined && <Instant at={lastCallAt} />,
};
