import type { ReactNode } from 'react';
import { ButtonLink } from '../../shared/look/button-link.tsx';
import { EmptyState } from '../../shared/parts/empty-state.tsx';

export function NoWebhooks({ mayChange }: { readonly mayChange: boolean }): ReactNode {
  return (
    <EmptyState
      icon="webhooks"
      title="No webhook yet"
      action={mayChange ? <ButtonLink to="/webhooks/new">Add a webhook</ButtonLink> : undefined}
    >
      A webhook carries alerts to where you are: Slack, Discord, Teams, e-mail, PagerDuty, Opsgenie, or a program of
      your own. Each alert arrives at least once; what fails is tried for about three days, and every try is logged.
      {!mayChange && ' Ask an admin to add one.'}
    </EmptyState>
  );
}
