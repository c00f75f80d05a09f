import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AssistantUsage } from '../../../../src/contract/assistants.ts';
import { callsText, countNoun } from '../../../../src/domain/text/counts.ts';
import { formatPart } from '../../../../src/domain/text/percent.ts';
import { retailSum } from '../../shared/assistants/plan-coverage.tsx';
import { useAssistantUsage } from '../../shared/assistants/queries.ts';
import { type AddressChanges, useAddress } from '../../shared/filter/address.ts';
import { findChoice } from '../../shared/filter/usage-filter.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { ChartPlaceholder } from '../../shared/ui/placeholders.tsx';
import { useShownRows } from '../../shared/ui/show-more.tsx';
import { Count, Instant, Money } from '../../shared/ui/values.tsx';
import { knownCost, unpricedText } from '../../shared/usage/cost-sum.ts';
import { AssistantBreakdown } from './assistant-breakdown.tsx';
import { AssistantFilterBar } from './assistant-filter-bar.tsx';
import {
  type AssistantFilter,
  type AssistantsAddress,
  readAssistantsAddress,
  SESSION_ORDERS,
} from './assistants-address.ts';
import { BlockTable } from './block-table.tsx';
import { DIMENSION_TITLES } from './dimension-names.ts';
import { PossibleDuplicates } from './duplicate-table.tsx';
import { Outcomes } from './outcome-table.tsx';
import { PlanTable } from './plan-table.tsx';
import { AssistantSessionTable } from './assistant-session-table.tsx';
import { UsageOverTime } from './usage-over-time.tsx';

const FIRST_SESSIONS = 25;

/** Usage of coding assistants by person, project and session, and what plans cover of it. */
export function AssistantsPage(): ReactNode {
  const { search, change } = useAddress(readAssistantsAddress);
  const { range, from, to, assistant, ...filter } = search.filter;
  const { limit, showMore } = useShownRows(FIRST_SESSIONS);
  const usage = useAssistantUsage(
    { ...(range && { range }), ...(from && to && { from, to }) },
    {
      ...filter,
      // The address may name any value: the service refuses unknown ones.
      assistant: assistant as AssistantUsageQuery['assistant'],
      covered: findChoice(['true', 'false'], filter.covered),
      by: search.by,
      sort: search.order,
      limit,
    },
  );
  return (
    <Page
      title="Assistants"
      lead="Usage of coding assistants, through the gateway and outside it. Each call counts once."
    >
      <AssistantFilterBar filter={search.filter} values={usage.data?.values} onChange={change} />
      <Loaded of={usage} placeholder={<ChartPlaceholder />}>
        {(answer) =>
          isUnused(answer) ? (
            <NoAssistantUsage />
          ) : (
            <AssistantsContent {...{ answer, search, showMore, onChange: change }} />
          )
        }
      </Loaded>
    </Page>
  );
}

type AssistantUsageQuery = Parameters<typeof useAssistantUsage>[1];

function isUnused({ total, sessions }: AssistantUsage): boolean {
  return total.calls === 0 && sessions.length === 0;
}

interface ContentProps {
  readonly answer: AssistantUsage;
  readonly search: AssistantsAddress;
  /** Asks for more sessions; null = all that can be asked for are shown. */
  readonly showMore: (() => void) | null;
  readonly onChange: (changes: AddressChanges) => void;
}

function AssistantsContent({ answer, search, showMore, onChange }: ContentProps): ReactNode {
  const { plans, blocks, blocksLeftOut } = answer;
  return (
    <div className="stack">
      <UsageFigures answer={answer} />
      <Card title="Usage over time" aside={<GroupSelect by={search.by} onChange={onChange} />}>
        <div className="stack">
          <UsageOverTime answer={answer} by={search.by} onChange={onChange} />
          <AssistantBreakdown answer={answer} by={search.by} onChange={onChange} />
        </div>
      </Card>
      {plans !== null && (
        <Card title="Plans" aside={<PageLink to="/savings">Savings</PageLink>}>
          <PlanTable plans={plans} />
        </Card>
      )}
      <Outcomes answer={answer} />
      <Card title="Sessions" aside={<OrderSelect order={search.order} onChange={onChange} />}>
        <AssistantSessionTable {...{ answer, showMore, onChange }} />
      </Card>
      <Card title="Blocks of five hours">
        <BlockTable blocks={blocks} />
        {blocksLeftOut > 0 && <p className="soft">{countNoun(blocksLeftOut, 'older block')}.</p>}
      </Card>
      {isWholePeriod(search.filter) && <PossibleDuplicates period={search.filter} />}
      {!answer.isComplete && (
        <p className="soft">
          The period has too much usage. These are the sums since <Instant at={answer.from} />.
        </p>
      )}
    </div>
  );
}

/** Returns true without a filter but the period: possible duplicates are listed without one. */
function isWholePeriod({ range: _range, from: _from, to: _to, ...filter }: AssistantFilter): boolean {
  return Object.keys(filter).length === 0;
}

function UsageFigures({ answer }: { readonly answer: AssistantUsage }): ReactNode {
  const { total, sessions, sessionsLeftOut } = answer;
  const { retailCost, coveredCost } = total;
  const leftOut = unpricedText(total);
  const named = sessions.filter(({ session }) => session !== null).length + sessionsLeftOut;
  return (
    <div className="cards">
      <Figure
        name="Usage"
        value={<Money usd={knownCost(retailSum(total))} />}
        note={leftOut === null ? 'At pay-as-you-go prices' : `${leftOut}, not included`}
      />
      <Figure
        name="Covered by plans"
        value={<Money usd={coveredCost} />}
        note={retailCost > 0 ? `${formatPart(coveredCost, retailCost)} of the usage` : undefined}
      />
      <Figure name="Pay as you go" value={<Money usd={retailCost - coveredCost} />} note="Not covered by a plan" />
      <Figure name="Sessions" value={<Count of={named} />} note={callsText(total.calls)} />
    </div>
  );
}

function GroupSelect({ by, onChange }: Pick<AssistantsAddress, 'by'> & Pick<ContentProps, 'onChange'>): ReactNode {
  return (
    <NativeSelect
      aria-label="Group by"
      value={by}
      onChange={({ currentTarget }) => onChange({ by: currentTarget.value })}
      data={Object.entries(DIMENSION_TITLES).map(([value, title]) => ({ value, label: `By ${title.toLowerCase()}` }))}
    />
  );
}

const ORDER_NAMES: Readonly<Record<(typeof SESSION_ORDERS)[number], string>> = {
  recent: 'Newest first',
  cost: 'Most expensive first',
};

function OrderSelect({
  order,
  onChange,
}: Pick<AssistantsAddress, 'order'> & Pick<ContentProps, 'onChange'>): ReactNode {
  return (
    <NativeSelect
      aria-label="Order"
      value={order}
      onChange={({ currentTarget }) => onChange({ order: currentTarget.value })}
      data={SESSION_ORDERS.map((value) => ({ value, label: ORDER_NAMES[value] }))}
    />
  );
}

function NoAssistantUsage(): ReactNode {
  const mayUpload = useMay('work');
  return (
    <Card>
      <EmptyState
        icon="assistants"
        title="No usage of assistants"
        action={mayUpload && <CopyBlock name="command that uploads usage" text="npx tollbook sync" />}
      >
        <span className="in-text">
          No usage in this period matches the filters. Usage appears when an assistant calls through the gateway, sends{' '}
          <PageLink to="/help/telemetry">telemetry</PageLink>, or when its{' '}
          <PageLink to="/help/local-usage">session files</PageLink> are uploaded. Only figures are sent, no code and no
          prompts.
        </span>
      </EmptyState>
    </Card>
  );
}
