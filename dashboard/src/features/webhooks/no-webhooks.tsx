import type { ReactNode } from 'react';
import { ButtonLink } from '../../shared/theme/button-link.tsx';
import { WEBHOOK_KINDS } from '../../../../src/domain/alerts/webhook-kinds.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';

const RECEIVER_NAMES = Object.values(WEBHOOK_KINDS)
  .filter(({ signs }) => !signs)
  .map(({ name }) => name)
  .join(', ');

export function NoWebhooks({ mayChange }: { readonly mayChange: boolean }): ReactNode {
  return (
    <EmptyState
      icon="webhooks"
      title="No webhook yet"
      action={mayChange ? <ButtonLink to="/webhooks/new">Add a webhook</ButtonLink> : undefined}
    >
      A webhook carries alerts to where you are: {RECEIVER_NAMES}, or a program of your own. Each alert arrives at least
      once; what fails is tried for about three days, and every try is logged.
      {!mayChange && ' Ask an admin to add one.'}
    </EmptyState>
  );
}
