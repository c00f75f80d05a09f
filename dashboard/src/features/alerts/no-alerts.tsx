import type { ReactNode } from 'react';
import { ButtonLink } from '../../shared/theme/button-link.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { useMay } from '../../shared/session/session.ts';

export function NoAlerts({ narrowed }: { readonly narrowed: boolean }): ReactNode {
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
