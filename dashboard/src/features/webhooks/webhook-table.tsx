import type { ReactNode } from 'react';
import type { WebhookShape } from '../../../../src/contract/webhooks.ts';
import { PageLink } from '../../shared/theme/page-link.tsx';
import { ALERT_TYPES, ALERT_TYPE_NAMES } from '../../shared/names/alert-types.ts';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { useWebhook } from './use-webhook.ts';
import { WEBHOOK_KINDS } from '../../../../src/domain/alerts/webhook-kinds.ts';
import { WebhookState } from './webhook-state.tsx';

export function WebhookTable({ webhooks }: { readonly webhooks: readonly WebhookShape[] }): ReactNode {
  return <DataTable name="Webhooks" columns={webhookColumns} rows={webhooks} rowKey={({ id }) => id} />;
}

const webhookColumns: readonly TableColumn<WebhookShape>[] = [
  {
    id: 'name',
    name: 'Name',
    sortBy: ({ name }) => name,
    cell: ({ id, name }) => <PageLink to={`/webhooks/${id}`}>{name}</PageLink>,
  },
  { id: 'type', name: 'Kind', sortBy: ({ type }) => type, cell: ({ type }) => WEBHOOK_KINDS[type].name },
  { id: 'events', name: 'Gets', wideOnly: true, cell: ({ events }) => eventsText(events) },
  { id: 'state', name: 'State', cell: (webhook) => <WebhookStateCell webhook={webhook} /> },
];

/** The list says whether it is enabled; whether it fails is known of each alone. */
function WebhookStateCell({ webhook }: { readonly webhook: WebhookShape }): ReactNode {
  const { data } = useWebhook(webhook.id);
  return <WebhookState of={data ?? { enabled: webhook.enabled, disabledBecause: null, failingSince: null }} />;
}

function eventsText(events: WebhookShape['events']): string {
  if (events.length === ALERT_TYPES.length) return 'every alert';
  return events.map((event) => ALERT_TYPE_NAMES[event]).join(', ');
}
