import { Button, Checkbox } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { DeliveryShape } from '../../../../src/contract/webhooks.ts';
import { useAddress } from '../../shared/filter/address.ts';
import { readText } from '../../shared/filter/usage-filter.ts';
import { useMay, useWorkspace } from '../../shared/session/session.ts';
import { useNow } from '../../shared/time/clock.ts';
import { addDays, dayStart, endOfDay, localDay } from '../../shared/time/local-day.ts';
import { Dialog, FormDialog } from '../../shared/ui/dialog.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { More } from '../../shared/ui/more.tsx';
import { ErrorNote } from '../../shared/ui/note.tsx';
import { Ago, Instant, StateBadge } from '../../shared/ui/values.tsx';
import styles from './deliveries.module.css';
import { useDeliveries, useReplayDelivery, useReplayPeriod } from './queries.ts';
import {
  DELIVERY_KIND_NAMES,
  DELIVERY_STATE_NAMES,
  describeAttempt,
  describeAttempts,
} from '../../../../src/domain/text/deliveries.ts';
import { countNoun } from '../../../../src/domain/text/counts.ts';
import { DateField } from '../../shared/ui/date-field.tsx';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

export function Deliveries({ webhookId }: { readonly webhookId: string }): ReactNode {
  const { search, change } = useAddress((text) => ({ before: readText(text, 'before') }));
  const page = useDeliveries(webhookId, search.before);
  return (
    <Loaded of={page} placeholder={<TablePlaceholder rows={5} />}>
      {({ deliveries, nextCursor }) => (
        <>
          {deliveries.length === 0 ? (
            <p className="soft">No deliveries yet. Send a test to check the webhook.</p>
          ) : (
            <ul className={styles.list} aria-label="Deliveries">
              {deliveries.map((delivery) => (
                <Delivery key={delivery.id} delivery={delivery} />
              ))}
            </ul>
          )}
          {(nextCursor !== null || search.before !== undefined) && (
            <nav className="row" aria-label="Pages of deliveries">
              {search.before !== undefined && (
                <Button variant="default" onClick={() => change({ before: undefined })}>
                  Newest
                </Button>
              )}
              {nextCursor !== null && (
                <Button variant="default" onClick={() => change({ before: nextCursor })}>
                  Older
                </Button>
              )}
            </nav>
          )}
        </>
      )}
    </Loaded>
  );
}

/** Formats a request; a JSON body is indented, another one stays text. */
export function requestText(request: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...request, ...('body' in request && { body: unfolded(request['body']) }) }, null, 2);
}

function unfolded(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

type DeliveryAttempt = DeliveryShape['attempts'][number];

function Attempts({ attempts }: { readonly attempts: readonly DeliveryAttempt[] }): ReactNode {
  return (
    <More title={describeAttempts(attempts)}>
      {attempts.map((attempt) => (
        <AttemptView key={attempt.at} attempt={attempt} />
      ))}
    </More>
  );
}

function AttemptView({ attempt }: { readonly attempt: DeliveryAttempt }): ReactNode {
  const { at, error, request, response } = attempt;
  return (
    <div>
      <p>
        <Instant at={at} />: {describeAttempt(attempt)}
      </p>
      {error !== null && <p className="soft">{error}</p>}
      <pre className="plain" tabIndex={0} role="group" aria-label="Request and response">
        {requestText(request)}
        {response !== null && response !== '' && `\n\n${response}`}
      </pre>
    </div>
  );
}

const NEXT_ATTEMPT_REFRESH_MS = 1_000;

const STATE_COLORS = { waiting: 'yellow', delivered: 'teal', failed: 'red' } as const;

/** One delivery with its state and attempts. */
function Delivery({ delivery }: { readonly delivery: DeliveryShape }): ReactNode {
  const { kind, state, createdAt, nextAttemptAt, alertId, attempts } = delivery;
  return (
    <li className={styles.delivery}>
      <div className={styles.head}>
        <StateBadge color={STATE_COLORS[state]}>{DELIVERY_STATE_NAMES[state]}</StateBadge>
        <span>
          {alertId === null ? (
            DELIVERY_KIND_NAMES[kind]
          ) : (
            <PageLink to={`/alerts/${alertId}`}>{DELIVERY_KIND_NAMES[kind]}</PageLink>
          )}
        </span>
        <span className="soft">
          <Instant at={createdAt} />
          {nextAttemptAt !== null && <NextAttempt at={nextAttemptAt} />}
        </span>
        <ReplayDeliveryButton delivery={delivery} />
      </div>
      {attempts.length > 0 && <Attempts attempts={attempts} />}
    </li>
  );
}

/** Time of the next attempt; a due one waits for the deliveries before it. */
function NextAttempt({ at }: { readonly at: string }): ReactNode {
  const now = useNow(NEXT_ATTEMPT_REFRESH_MS);
  if (Date.parse(at) <= now) return ', next attempt due';
  return (
    <>
      , next attempt <Ago at={at} />
    </>
  );
}

function ReplayDeliveryButton({ delivery }: { readonly delivery: DeliveryShape }): ReactNode {
  const mayChange = useMay('manage');
  const replay = useReplayDelivery(delivery.webhookId);
  if (!mayChange || delivery.state === 'waiting') return null;
  return (
    <>
      <Button
        className="row-end"
        size="compact-sm"
        variant="default"
        loading={replay.isPending}
        onClick={() => replay.mutate(delivery.id)}
      >
        Resend
      </Button>
      {replay.error && <ErrorNote error={replay.error} />}
    </>
  );
}

interface ReplayProps {
  readonly webhookId: string;
}

const DEFAULT_REPLAY_DAYS = 3;

/** Resends the deliveries that a receiver missed. */
export function ReplayButton({ webhookId }: ReplayProps): ReactNode {
  const mayChange = useMay('manage');
  const [open, setOpen] = useState(false);
  if (!mayChange) return null;
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        {' '}
        Replay deliveries{' '}
      </Button>
      {open && <ReplayDialog webhookId={webhookId} onClose={() => setOpen(false)} />}
    </>
  );
}

function ReplayDialog({ webhookId, onClose }: ReplayProps & { readonly onClose: () => void }): ReactNode {
  const { timeZone } = useWorkspace();
  const replay = useReplayPeriod(webhookId);
  const today = localDay(useNow(), timeZone);
  if (replay.data) return <ReplayQueued count={replay.data.deliveries} onClose={onClose} />;
  return (
    <FormDialog
      title="Replay deliveries"
      actionLabel="Resend deliveries"
      busy={replay.isPending}
      error={replay.error}
      onClose={onClose}
      onSubmit={(fields) =>
        replay.mutate({
          startDate: new Date(dayStart(fields('from'), timeZone)).toISOString(),
          endDate: endOfDay(fields('to'), timeZone),
          all: fields('all') === 'yes',
        })
      }
    >
      <p>Failed deliveries of these days are sent again with the same message IDs, so receivers can detect repeats.</p>
      <div className="row">
        <DateField name="from" label="From" defaultValue={addDays(today, -DEFAULT_REPLAY_DAYS)} required />
        <DateField name="to" label="To" defaultValue={today} required />
      </div>
      <Checkbox name="all" value="yes" label="Include successful deliveries" />
    </FormDialog>
  );
}

function ReplayQueued({ count, onClose }: { readonly count: number; readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Replay deliveries" onClose={onClose}>
      <div className="stack">
        <p>
          {count === 0
            ? 'No deliveries to resend in this period.'
            : `${countNoun(count, 'delivery', 'deliveries')} queued.`}
        </p>
        <div className="row">
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
    </Dialog>
  );
}
