import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WebhookShape } from '../../../../src/contract/webhooks.ts';
import { WEBHOOK_KINDS } from '../../../../src/domain/alerts/webhook-kinds.ts';
import { isolatedQuotes } from '../../shared/format/isolated.ts';
import { ALERT_TYPE_NAMES, ALERT_TYPES } from '../../shared/names/display-names.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { Dialog } from '../../shared/ui/dialog.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { ButtonLink, PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { useDigest, useWebhook, useWebhooks } from './queries.ts';
import { WebhookState } from './webhook-state.tsx';
import { FactsPlaceholder, TablePlaceholder } from '../../shared/ui/placeholders.tsx';

/** All webhooks. */
export function WebhooksPage(): ReactNode {
  const webhooks = useWebhooks();
  const mayChange = useMay('manage');
  return (
    <Page
      title="Webhooks"
      lead="Send alerts to a chat, mailbox, pager or program."
      actions={
        <>
          <DigestPreview />
          {mayChange && <ButtonLink to="/webhooks/new">Add webhook</ButtonLink>}
        </>
      }
    >
      <Card>
        <Loaded of={webhooks} placeholder={<TablePlaceholder rows={3} />}>
          {(all) => (all.length === 0 ? <NoWebhooks mayChange={mayChange} /> : <WebhookTable webhooks={all} />)}
        </Loaded>
      </Card>
    </Page>
  );
}

/** Previews the weekly digest with the last full week. */
function DigestPreview(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {' '}
        Preview weekly digest{' '}
      </Button>
      {open && <DigestDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function DigestDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const digest = useDigest();
  return (
    <Dialog title="Weekly digest" onClose={onClose}>
      <Loaded of={digest} placeholder={<FactsPlaceholder rows={6} />}>
        {({ title, message, facts }) => (
          <div className="stack">
            <h3>{isolatedQuotes(title)}</h3>
            <p>{isolatedQuotes(message)}</p>
            <Facts of={facts.map(({ name, value }) => [name, value])} />
            <p className="soft">Sent every Monday at 08:00 (workspace time zone) to webhooks with the weekly digest.</p>
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

function WebhookTable({ webhooks }: { readonly webhooks: readonly WebhookShape[] }): ReactNode {
  return <DataTable name="Webhooks" columns={webhookColumns} rows={webhooks} rowKey={({ id }) => id} />;
}

const webhookColumns: readonly TableColumn<WebhookShape>[] = [
  {
    id: 'name',
    name: 'Name',
    sortBy: ({ name }) => name,
    cell: ({ id, name }) => <PageLink to={`/webhooks/${id}`}>{name}</PageLink>,
  },
  { id: 'type', name: 'Type', sortBy: ({ type }) => type, cell: ({ type }) => WEBHOOK_KINDS[type].name },
  { id: 'events', name: 'Events', wideOnly: true, cell: ({ events }) => eventsText(events) },
  { id: 'state', name: 'State', cell: (webhook) => <WebhookStateCell webhook={webhook} /> },
];

/** Reads the single webhook, because the list does not say whether deliveries fail. */
function WebhookStateCell({ webhook }: { readonly webhook: WebhookShape }): ReactNode {
  const { data } = useWebhook(webhook.id);
  return <WebhookState of={data ?? { enabled: webhook.enabled, disabledReason: null, failingSince: null }} />;
}

function eventsText(events: WebhookShape['events']): string {
  if (events.length === ALERT_TYPES.length) return 'All alerts';
  return events.map((event) => ALERT_TYPE_NAMES[event]).join(', ');
}

const RECEIVER_NAMES = Object.values(WEBHOOK_KINDS)
  .filter(({ signs }) => !signs)
  .map(({ name }) => name)
  .join(', ');

function NoWebhooks({ mayChange }: { readonly mayChange: boolean }): ReactNode {
  return (
    <EmptyState
      icon="webhooks"
      title="No webhooks yet"
      action={mayChange ? <ButtonLink to="/webhooks/new">Add webhook</ButtonLink> : undefined}
    >
      A webhook sends alerts to {RECEIVER_NAMES} or your own program. Failed deliveries are retried for about three
      days, and every attempt is logged.
      {!mayChange && ' Ask an admin to add one.'}
    </EmptyState>
  );
}
