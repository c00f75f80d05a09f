import { Button, Checkbox, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AlertShape } from '../../../../src/contract/alerts.ts';
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
import { SEVERITIES, SEVERITY_NAMES } from './alert-text.ts';
import { type AlertsAddress, readAlertsAddress } from './alerts-address.ts';
import { MutedAlerts } from './mutes.tsx';
import { PAGE_SIZE, useAlerts, useMarkRead } from './queries.ts';
import { LinesPlaceholder } from '../../shared/ui/placeholders.tsx';

/** All alerts, newest first. */
export function AlertsPage(): ReactNode {
  const { search, change } = useAddress(readAlertsAddress);
  const alerts = useAlerts(search);
  const { unreadOnly, type, severity, before } = search;
  const narrowed = unreadOnly || type !== undefined || severity !== undefined || before !== undefined;
  return (
    <Page
      title="Alerts"
      lead="Things that need your attention. Webhooks send them to your chat, mailbox or pager."
      actions={<MarkPageRead alerts={alerts.data ?? []} />}
    >
      <AlertFilters search={search} onChange={(changes) => change({ ...changes, before: undefined })} />
      <Card>
        <Loaded of={alerts} placeholder={<LinesPlaceholder rows={12} />}>
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
      <EmptyState
        icon="check"
        title="No matching alerts"
        action={<ButtonLink to="/alerts">Show all alerts</ButtonLink>}
      >
        No alert matches these filters.
      </EmptyState>
    );
  return (
    <EmptyState
      icon="alerts"
      title="No alerts"
      action={mayChange ? <ButtonLink to="/webhooks/new">Add webhook</ButtonLink> : undefined}
    >
      Tollbook alerts you when a limit is close or reached, when spending or errors are unusual, when a model has no
      price, and when its own health needs attention. {mayChange ? 'Add' : 'An admin can add'} a webhook to receive
      alerts in a chat or mailbox.
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

/** Marks the listed alerts as read, except overruns: reading one lowers the hold of calls, so it is done one by one. */
function MarkPageRead({ alerts }: { readonly alerts: readonly AlertShape[] }): ReactNode {
  const mayMark = useMay('work');
  const mark = useMarkRead();
  const unread = alerts.filter(({ read, type }) => !read && type !== 'OVERRUN').map(({ id }) => id);
  if (mark.error) return <ErrorNote error={mark.error} />;
  if (!mayMark || unread.length === 0) return null;
  return (
    <Button variant="default" loading={mark.isPending} onClick={() => mark.mutate(unread)}>
      {unread.length === 1 ? 'Mark 1 as read' : `Mark ${unread.length} as read`}
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
        data={[
          { value: '', label: 'All severities' },
          ...SEVERITIES.map((each) => ({ value: each, label: SEVERITY_NAMES[each] })),
        ]}
      />
      <NativeSelect
        aria-label="Type"
        value={type ?? ''}
        onChange={({ currentTarget }) => onChange({ type: currentTarget.value || undefined })}
        data={[
          { value: '', label: 'All types' },
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
