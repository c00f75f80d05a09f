import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { EntryDetail } from '../../../../src/contract/entries.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { limitName } from '../../shared/limits/limit-text.ts';
import { LimitValue } from '../../shared/limits/limit-value.tsx';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { FormDialog } from '../../shared/ui/dialog.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Instant } from '../../shared/ui/values.tsx';
import { CostFigures, PriceLines } from './call-cost.tsx';
import { CallFacts, TimingFacts } from './call-facts.tsx';
import { useResolveCall } from './queries.ts';
import { isPartlyRead, isUnsettledBatch } from '../../../../src/domain/text/batches.ts';
import { maximumDollars } from '../../../../src/domain/text/money.ts';
import { explainFailedCall } from '../../../../src/domain/text/failures.ts';
import { describeShownAmount } from '../../../../src/domain/text/limits.ts';
import { TextField } from '../../shared/ui/form-inputs.tsx';

type UncertaintyReason = NonNullable<EntryDetail['uncertainReason']>;

const REASON_TEXTS: Readonly<Record<UncertaintyReason, string>> = {
  no_price: 'The model has no price',
  no_usage: 'The provider reported no usage',
  length_tier: 'The price depends on the longest of several passes, and the provider reported only their total',
  container_size: 'It used a container of unknown size; the fee is not included',
  unlisted_fee: 'The provider may charge a fee that is on no price list; it is not included',
  other_billing: 'The provider may charge less, or charge someone else',
  background: 'The response runs in the background; its usage is read when it has ended',
  unreadable: 'The response could not be read',
  client_left: 'The client disconnected before the provider reported usage',
  reset: 'The connection to the provider broke',
  timeout: 'The provider stopped responding',
  error_event: 'The response ended with an error',
  truncated: 'The response was cut off',
  overrun: 'It used more than the reserved maximum',
  crash: 'Tollbook stopped while the call was running',
};

/** Explains why the cost of a call is uncertain, and by how much. */
function uncertaintyText({
  operation,
  uncertainReason,
  uncertainUpTo,
}: Pick<EntryDetail, 'operation' | 'uncertainReason' | 'uncertainUpTo'>): string {
  if (isUnsettledBatch({ operation, uncertainReason })) return openBatchText(uncertainUpTo);
  if (isPartlyRead({ operation, uncertainReason })) return partlyReadText(uncertainUpTo ?? 0);
  const why = uncertainReason === null ? 'The cost is uncertain' : REASON_TEXTS[uncertainReason];
  if (uncertainUpTo === undefined) return `${why}. The cost is unknown.`;
  return `${why}. The call may have cost up to ${maximumDollars(uncertainUpTo)} more than shown. Limits count the maximum.`;
}

function partlyReadText(upTo: number): string {
  return `Some results of the batch could not be read. They may have cost up to ${maximumDollars(upTo)}, which limits count.`;
}

function openBatchText(upTo: number | undefined): string {
  const most = upTo === undefined ? '' : ` It may cost up to ${maximumDollars(upTo)}, which limits count until then.`;
  return `The batch is open. Tollbook reads its results when it has ended.${most}`;
}

interface TouchedLimitsProps {
  readonly limits: EntryDetail['limits'];
}

type TouchedLimit = EntryDetail['limits'][number];

const touchedLimitColumns: readonly TableColumn<TouchedLimit>[] = [
  { id: 'limit', name: 'Limit', cell: (limit) => <LimitCell limit={limit} /> },
  { id: 'held', name: 'Reserved', figures: true, cell: ({ unit, held }) => describeShownAmount(unit, held) },
  { id: 'counted', name: 'Counted', figures: true, cell: ({ unit, counted }) => describeShownAmount(unit, counted) },
];

/** The hold of each limit before the call was sent, and the amount counted afterwards. */
function TouchedLimits({ limits }: TouchedLimitsProps): ReactNode {
  if (limits.length === 0) return <p className="soft">No limit applied to this call.</p>;
  return (
    <DataTable
      name="Limits of this call"
      columns={touchedLimitColumns}
      rows={limits}
      rowKey={({ id, unit, windowStart, value }) => [id, unit, windowStart, value].join(' ')}
    />
  );
}

function LimitCell({ limit }: { readonly limit: TouchedLimit }): ReactNode {
  const { id, label, scope, value, windowStart } = limit;
  const limits = useLimits();
  const keyNames = useKeyNames();
  const current = limits.data?.limits.find((each) => each.id === id);
  if (id === null) return <span className="soft">Deleted limit</span>;
  const name = current ? limitName(current, (key) => keyNames.get(key) ?? key) : isolated(label ?? scope ?? id);
  return (
    <>
      <PageLink to={`/limits/${id}`}>{name}</PageLink>
      {value !== null && current && (
        <div>
          <LimitValue scope={current.scope} value={value} />
        </div>
      )}
      {windowStart !== null && (
        <div className="soft">
          since <Instant at={windowStart} />
        </div>
      )}
    </>
  );
}

interface ResolveProps {
  readonly call: EntryDetail;
}

/** Sets the actual cost of an uncertain call, for people who have seen the bill. */
function ResolveButton({ call }: ResolveProps): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Set actual cost
      </Button>
      {open && <ResolveDialog call={call} onClose={() => setOpen(false)} />}
    </>
  );
}

function ResolveDialog({ call, onClose }: ResolveProps & { readonly onClose: () => void }): ReactNode {
  const resolve = useResolveCall(call.id);
  return (
    <FormDialog
      title="Set actual cost"
      actionLabel="Set cost"
      busy={resolve.isPending}
      error={resolve.error}
      onSubmit={(fields) => resolve.mutate(fields('cost'), { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextField
        name="cost"
        label="Cost in US dollars"
        description="The amount on the provider’s bill, 0 if it was not charged. Totals and limits use it from now on."
        inputMode="decimal"
        required
      />
    </FormDialog>
  );
}

/** A call: why it failed, its cost with the prices used, its details, timing, and the limits it counted toward. */
export function CallContent({ call }: { readonly call: EntryDetail }): ReactNode {
  const mayChange = useMay('manage');
  const failure = explainFailedCall(call);
  return (
    <div className="stack">
      {failure !== null && (
        <Note kind={call.outcome === 'failed' || call.outcome === 'broken' ? 'bad' : 'warn'}>
          <p>
            {failure}
            {call.errorType !== null && (
              <>
                {' '}
                Error type: <code>{call.errorType}</code>
              </>
            )}
          </p>
        </Note>
      )}
      {call.uncertainReason !== null && (
        <Note kind="warn">
          <p>{uncertaintyText(call)}</p>
          {call.settleProblem !== undefined && <p>Last question to the provider: {call.settleProblem}</p>}
          {mayChange && call.uncertainUpTo !== undefined && <ResolveButton call={call} />}
        </Note>
      )}
      <CostFigures call={call} />
      <Card title="Cost breakdown">
        <PriceLines call={call} />
      </Card>
      <div className="halves">
        <Card title="Details">
          <CallFacts call={call} />
        </Card>
        <div className="stack">
          <Card title="Timing">
            <TimingFacts call={call} />
          </Card>
          <Card title="Limits">
            <TouchedLimits limits={call.limits} />
          </Card>
        </div>
      </div>
    </div>
  );
}
