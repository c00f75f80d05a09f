import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { EntryDetail } from '../../../../src/contract/usage.ts';
import { usePathParameter } from '../../shared/filter/address.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { formatUsd } from '../../shared/format/money.ts';
import { amountText } from '../../shared/limits/limit-text.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { FormDialog } from '../../shared/ui/dialog.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { Instant } from '../../shared/ui/values.tsx';
import { CostFigures, PriceLines } from './call-cost.tsx';
import { CallFacts, TimingFacts } from './call-facts.tsx';
import { useCall, useResolveCall } from './queries.ts';

type UncertaintyReason = NonNullable<EntryDetail['doubt']>;

const REASON_TEXTS: Readonly<Record<UncertaintyReason, string>> = {
  no_price: 'Its model has no price',
  no_usage: 'The provider told no usage',
  length_tier: 'The provider told only the sum of several passes, and the price depends on the longest',
  container_size: 'It used a container of unknown size, whose fee is not in the cost',
  unreadable: 'The answer could not be read',
  client_left: 'The client left before the usage was told',
  reset: 'The connection to the provider broke',
  timeout: 'The provider fell silent',
  error_event: 'The answer ended in an error',
  truncated: 'The answer was cut short',
  overrun: 'It used more than could be foreseen',
  crash: 'Tollbook was killed while it was under way',
};

/** One call: what it cost and why, what it was, how long it took, and which limits it counted under. */
export function CallPage(): ReactNode {
  const callId = usePathParameter('callId');
  const call = useCall(callId);
  return (
    <Page title="One call" lead={<code>{callId}</code>}>
      <Loaded of={call} rows={12}>
        {(found) => <CallContent call={found} />}
      </Loaded>
    </Page>
  );
}

/** Why the cost of a call is in doubt, and how far. */
function uncertaintyText({ doubt, uncertainUpTo }: Pick<EntryDetail, 'doubt' | 'uncertainUpTo'>): string {
  const why = doubt === null ? 'Its cost is not certain' : REASON_TEXTS[doubt];
  if (uncertainUpTo === undefined) return `${why}, so that its cost is not known.`;
  return `${why}. It may have cost up to ${formatUsd(uncertainUpTo)} more than what is shown; limits count with that.`;
}

interface TouchedLimitsProps {
  readonly limits: EntryDetail['limits'];
}

type TouchedLimit = EntryDetail['limits'][number];

const touchedLimitColumns: readonly TableColumn<TouchedLimit>[] = [
  { id: 'limit', name: 'Limit', cell: (limit) => <LimitCell limit={limit} /> },
  { id: 'held', name: 'Held', figures: true, cell: ({ unit, held }) => amountText(unit, held) },
  { id: 'counted', name: 'Counted', figures: true, cell: ({ unit, counted }) => amountText(unit, counted) },
];

/** What each limit set aside for the call before it left, and what it counts since. */
function TouchedLimits({ limits }: TouchedLimitsProps): ReactNode {
  if (limits.length === 0) return <p className="soft">None: no limit counted it when it was made.</p>;
  return (
    <DataTable
      name="Limits it counted under"
      columns={touchedLimitColumns}
      rows={limits}
      rowKey={({ id, unit, windowStart, value }) => [id, unit, windowStart, value].join(' ')}
    />
  );
}

function LimitCell({ limit }: { readonly limit: TouchedLimit }): ReactNode {
  const { id, label, scope, window, value, windowStart } = limit;
  if (id === null) return <span className="soft">a limit that is gone</span>;
  return (
    <>
      <PageLink to={`/limits/${id}`}>
        {label ?? `${window === 'total' ? 'total' : `per ${window ?? ''}`} for ${isolated(scope ?? '')}`}
      </PageLink>
      {value !== null && ` (${isolated(value)})`}
      {windowStart !== null && (
        <div className="soft">
          from <Instant at={windowStart} />
        </div>
      )}
    </>
  );
}

interface ResolveProps {
  readonly call: EntryDetail;
}

/** For who has seen the bill: what a call of uncertain cost has really cost. */
function ResolveButton({ call }: ResolveProps): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Say what it cost
      </Button>
      {open && <ResolveDialog call={call} onClose={() => setOpen(false)} />}
    </>
  );
}

function ResolveDialog({ call, onClose }: ResolveProps & { readonly onClose: () => void }): ReactNode {
  const resolve = useResolveCall(call.id);
  return (
    <FormDialog
      title="What it cost"
      deed="Set"
      busy={resolve.isPending}
      error={resolve.error}
      onSubmit={(fields) => resolve.mutate(fields('cost'), { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput
        name="cost"
        label="US dollars"
        description="As the provider’s bill says it; 0 = it was not charged. Reports and limits count that from now on."
        inputMode="decimal"
        required
      />
    </FormDialog>
  );
}

function CallContent({ call }: { readonly call: EntryDetail }): ReactNode {
  const mayChange = useMay('manage');
  return (
    <>
      {call.doubt !== null && (
        <Note kind="warn">
          <p>{uncertaintyText(call)}</p>
          {mayChange && call.uncertainUpTo !== undefined && <ResolveButton call={call} />}
        </Note>
      )}
      <CostFigures call={call} />
      <Card title="How the cost came about">
        <PriceLines call={call} />
      </Card>
      <div className="halves">
        <Card title="What it was">
          <CallFacts call={call} />
        </Card>
        <div className="stack">
          <Card title="How long it took">
            <TimingFacts call={call} />
          </Card>
          <Card title="Limits it counted under">
            <TouchedLimits limits={call.limits} />
          </Card>
        </div>
      </div>
    </>
  );
}
