import type { CSSProperties, ReactNode } from 'react';
import type { RefusalsPageShape } from '../../../../src/contract/refusals.ts';
import type { SessionDetail } from '../../../../src/contract/sessions.ts';
import { callsText, countNoun } from '../../../../src/domain/text/counts.ts';
import { isNotFound } from '../../shared/api/api-error.ts';
import { maximumDollars } from '../../../../src/domain/text/money.ts';
import { PlanCoverage, retailSum } from '../../shared/assistants/plan-coverage.tsx';
import { useAddress } from '../../shared/filter/address.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { readText } from '../../shared/filter/usage-filter.ts';
import { useRefusals } from '../../shared/refusals/queries.ts';
import { RefusalTable } from '../../shared/refusals/refusal-table.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { ButtonLink, PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { Ago, Count, Money } from '../../shared/ui/values.tsx';
import { type CostSum, knownCost, unpricedText } from '../../shared/usage/cost-sum.ts';
import { choiceBetween, type PeriodChoice, stepEnd } from '../../shared/time/period.ts';
import { SpendCard } from '../../shared/usage/spend-card.tsx';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import styles from './session-page.module.css';
import { useCallSession } from './queries.ts';
import { OutsideFigures, OutsideUsage } from './outside-usage.tsx';
import { RecordPlaceholder } from '../../shared/ui/placeholders.tsx';

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
    </Page>
  );
}

/** A session has no sums if limits refused all of its calls. */
function SessionLoader({ name }: { readonly name: string }): ReactNode {
  const session = useCallSession(name);
  const refused = useRefusals({ session: session.data?.session ?? name, limit: REFUSALS_SHOWN });
  const isUnknown = session.data === undefined && isNotFound(session.error);
  if (isUnknown && refused.data === undefined) return <Loaded of={refused}>{() => null}</Loaded>;
  return (
    <>
      {isUnknown ? (
        <NoSums hasRefusals={refused.data !== undefined && refused.data.refusals.length > 0} />
      ) : (
        <Loaded of={session} placeholder={<RecordPlaceholder />}>
          {(found) => <SessionContent detail={found} />}
        </Loaded>
      )}
      {refused.data && <SessionRefusals page={refused.data} />}
    </>
  );
}

function NoSums({ hasRefusals }: { readonly hasRefusals: boolean }): ReactNode {
  return (
    <Card>
      {hasRefusals ? (
        <EmptyState icon="sessions" title="No call was sent">
          Limits refused every call of this session.
        </EmptyState>
      ) : (
        <EmptyState icon="sessions" title="Session not found" action={<PageLink to="/sessions">All sessions</PageLink>}>
          No recorded call names this session. Calls appear a moment after they end.
        </EmptyState>
      )}
    </Card>
  );
}

/** Calls of the session that limits refused; nothing without any. */
function SessionRefusals({ page: { refusals, nextCursor } }: { readonly page: RefusalsPageShape }): ReactNode {
  if (refusals.length === 0) return null;
  return (
    <Card title="Refused calls" aside={nextCursor === null ? undefined : `Newest ${REFUSALS_SHOWN}`}>
      <RefusalTable refusals={refusals} />
    </Card>
  );
}

const REFUSALS_SHOWN = 20;

function NoSessionName(): ReactNode {
  return (
    <Page title="Session">
      <EmptyState icon="sessions" title="No session" action={<PageLink to="/sessions">All sessions</PageLink>}>
        The address of this page has no session.
      </EmptyState>
    </Page>
  );
}

interface SessionProps {
  readonly detail: SessionDetail;
}

/** A session that was only synced or observed has no calls. */
function SessionContent({ detail }: SessionProps): ReactNode {
  return (
    <>
      <SessionFigures detail={detail} />
      {detail.outside !== null && <OutsideUsage outside={detail.outside} />}
      {detail.total.calls > 0 && <SessionCalls detail={detail} />}
    </>
  );
}

function SessionCalls({ detail }: SessionProps): ReactNode {
  const { session, agents, agentsLeftOut, models, runs, runsLeftOut, keys } = detail;
  const hasClasses = agents.some(({ requestClasses }) => requestClasses.length > 0);
  return (
    <>
      <SpendCard
        title="Cost over time"
        filter={{ session, ...sessionTime(detail) }}
        dimension={agents.length > 1 ? 'agent' : 'model'}
      />
      <Card title="Agents">
        <DataTable
          name="Agents"
          columns={agentColumns(session).filter(({ id }) => id !== 'classes' || hasClasses)}
          rows={agents}
          rowKey={({ agent }) => (agent === null ? '' : `agent ${agent}`)}
        />
        {agentsLeftOut > 0 && (
          <p className="soft">{countNoun(agentsLeftOut, 'more agent')}, included in the costs above.</p>
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

/** Returns the minutes from the first call of a session to its last. */
function sessionTime({ firstCallAt, lastCallAt }: SessionDetail): PeriodChoice {
  const until = stepEnd(lastCallAt, 'minute', 'UTC');
  return choiceBetween(firstCallAt, until, 'UTC');
}

function SessionFigures({ detail }: SessionProps): ReactNode {
  const { total, firstCallAt, lastCallAt, outside } = detail;
  if (total.calls === 0 && outside !== null) return <OutsideFigures outside={outside} />;
  return (
    <div className="cards">
      <Figure name="Cost" value={<Money usd={knownCost(total)} />} note={costNote(total)} />
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
        value={<Ago at={lastCallAt} />}
        note={
          <>
            First call <Ago at={firstCallAt} />
          </>
        }
      />
      {outside !== null && (
        <Figure
          name="Reported by the assistant"
          value={<Money usd={knownCost(retailSum(outside))} />}
          note={
            <>
              Did not go through the gateway <PlanCoverage {...outside} />
            </>
          }
        />
      )}
    </div>
  );
}

/** Describes what the sum of a session leaves open; undefined = nothing. */
function costNote(total: CostSum): string | undefined {
  const { uncertainUpTo = 0 } = total;
  const notes = [uncertainUpTo > 0 ? `up to ${maximumDollars(uncertainUpTo)} more` : null, unpricedText(total)];
  return notes.filter((note) => note !== null).join(', ') || undefined;
}

type AgentRow = SessionDetail['agents'][number];

function agentColumns(session: string): readonly TableColumn<AgentRow>[] {
  return [
    { id: 'agent', name: 'Agent', cell: (row) => <AgentCell row={row} session={session} /> },
    { id: 'models', name: 'Models', wideOnly: true, cell: ({ models }) => models.join(', ') },
    { id: 'classes', name: 'Request class', wideOnly: true, cell: ({ requestClasses }) => requestClasses.join(', ') },
    {
      id: 'last',
      name: 'Last call',
      wideOnly: true,
      cell: ({ lastCallAt }) => lastCallAt !== null && <Ago at={lastCallAt} />,
    },
    { id: 'calls', name: 'Calls', figures: true, wideOnly: true, cell: ({ own }) => <Count of={own.calls} /> },
    { id: 'own', name: 'Own cost', figures: true, wideOnly: true, cell: ({ own }) => <SummedCost {...own} /> },
    {
      id: 'all',
      name: 'With sub-agents',
      figures: true,
      cell: ({ withDescendants }) => <SummedCost {...withDescendants} />,
    },
  ];
}

/** Name of an agent, indented below its parent. */
function AgentCell({ row, session }: { readonly row: AgentRow; readonly session: string }): ReactNode {
  const { agent, depth, own } = row;
  return (
    <div className={styles.agent} style={{ '--depth': Math.min(depth, INDENTS_MAX) } as CSSProperties}>
      {agent === null ? (
        'Main agent'
      ) : (
        <PageLink to="/calls" search={{ session, agent }}>
          {isolated(agent)}
        </PageLink>
      )}
      <span className="soft beneath narrow">
        {callsText(own.calls)}, <Money usd={knownCost(own)} />
      </span>
    </div>
  );
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
  cell: ({ lastCallAt }) => lastCallAt !== undefined && <Ago at={lastCallAt} />,
};
