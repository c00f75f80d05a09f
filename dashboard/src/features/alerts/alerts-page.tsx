import { Button, Checkbox, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { useAddress } from '../../shared/filter/address.ts';
import { ALERT_TYPE_NAMES, ALERT_TYPES } from '../../shared/names/display-names.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { ButtonLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { ErrorNote } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { AlertList } from './alert-list.tsx';
import { SEVERITIES } from './alert-text.ts';
import { type AlertsAddress, readAlertsAddress } from './alerts-address.ts';
import { MutedAlerts } from './mutes.tsx';
import { PAGE_SIZE, useAlerts, useMarkRead } from './queries.ts';

/** What happened that somebody should know of, newest first. */
export function AlertsPage(): ReactNode {
  const { search, change } = useAddress(readAlertsAddress);
  const alerts = useAlerts(search);
  const { unreadOnly, type, severity, before } = search;
  const narrowed = unreadOnly || type !== undefined || severity !== undefined || before !== undefined;
  return (
    <Page
      title="Alerts"
      lead="What happened that somebody should know of. Webhooks carry them to where you are."
      actions={<MarkPageRead alerts={alerts.data ?? []} />}
    >
      <AlertFilters search={search} onChange={(changes) => change({ ...changes, before: undefined })} />
      <Card>
        <Loaded of={alerts} rows={8}>
          {(shown) => (
            <>
              {shown.length === 0 ? <NoAlerts narrowed={narrowed} /> : <AlertList alerts={shown} />}
              <AlertPager alerts={shown} before={before} onMove={(to) => change({ before: to })} />
            </>
          )}
        </Loaded>
      </Card>
      <MutedAlerts />
    </Page>
  );
}

function NoAlerts({ narrowed }: { readonly narrowed: boolean }): ReactNode {
  const mayChange = useMay('manage');
  if (narrowed)
    return (
      <EmptyState icon="check" title="None of this kind" action={<ButtonLink to="/alerts">Show all alerts</ButtonLink>}>
        Nothing here fits the filters.
      </EmptyState>
    );
  return (
    <EmptyState
      icon="alerts"
      title="All calm"
      action={mayChange ? <ButtonLink to="/webhooks/new">Send alerts somewhere</ButtonLink> : undefined}
    >
      Nothing has happened that you should know of. Tollbook tells when a limit is near or reached, when spending or
      errors leave their usual course, when a model has no price, and when something of its own is in trouble.{' '}
      {mayChange ? 'Set a webhook, and it' : 'Where an admin has set a webhook, it'} comes to your chat or mailbox.
    </EmptyState>
  );
}

interface AlertPagerProps {
  readonly alerts: readonly AlertShape[];
  readonly before: string | undefined;
  readonly onMove: (before: string | undefined) => void;
}

function AlertPager({ alerts, before, onMove }: AlertPagerProps): ReactNode {
  const last = alerts.at(-1);
  const hasOlder = alerts.length === PAGE_SIZE && last !== undefined;
  if (before === undefined && !hasOlder) return null;
  return (
    <nav className="row" aria-label="Pages of alerts">
      {before !== undefined && (
        <Button variant="default" onClick={() => onMove(undefined)}>
          Newest
        </Button>
      )}
      {hasOlder && (
        <Button variant="default" onClick={() => onMove(last.id)}>
          Older
        </Button>
      )}
    </nav>
  );
}

/** Marks what is shown as read. An overrun is left: reading it changes how calls are held, and is done by itself. */
function MarkPageRead({ alerts }: { readonly alerts: readonly AlertShape[] }): ReactNode {
  const mayMark = useMay('work');
  const mark = useMarkRead();
  const unread = alerts.filter(({ read, type }) => !read && type !== 'OVERRUN').map(({ id }) => id);
  if (mark.error) return <ErrorNote error={mark.error} />;
  if (!mayMark || unread.length === 0) return null;
  return (
    <Button variant="default" loading={mark.isPending} onClick={() => mark.mutate(unread)}>
      {unread.length === 1 ? 'Mark this one as read' : `Mark these ${unread.length} as read`}
    </Button>
  );
}

interface AlertFiltersProps {
  readonly search: AlertsAddress;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
}

function AlertFilters({ search, onChange }: AlertFiltersProps): ReactNode {
  const { unreadOnly, type, severity } = search;
  return (
    <div className="row">
      <NativeSelect
        aria-label="Severity"
        value={severity ?? ''}
        onChange={({ currentTarget }) => onChange({ severity: currentTarget.value || undefined })}
        data={[{ value: '', label: 'Every severity' }, ...SEVERITIES]}
      />
      <NativeSelect
        aria-label="Type"
        value={type ?? ''}
        onChange={({ currentTarget }) => onChange({ type: currentTarget.value || undefined })}
        data={[
          { value: '', label: 'Every type' },
          ...ALERT_TYPES.map((each) => ({ value: each, label: ALERT_TYPE_NAMES[each] })),
        ]}
      />
      <Checkbox
        label="Unread only"
        checked={unreadOnly}
        onChange={({ currentTarget }) => onChange({ show: currentTarget.checked ? 'unread' : undefined })}
      />
    </div>
  );
}
