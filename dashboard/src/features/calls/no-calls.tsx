import type { ReactNode } from 'react';
import { PageLink } from '../../shared/theme/page-link.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { useMay } from '../../shared/session/session.ts';

export function NoCalls(): ReactNode {
  const mayMake = useMay('work');
  return (
    <EmptyState
      icon="calls"
      title="No calls here"
      action={mayMake ? <PageLink to="/keys">Make a wrapped key</PageLink> : undefined}
    >
      Calls appear here as soon as they pass the gate: give your program a wrapped key and Tollbook’s address, nothing
      else changes. If there should be some, take a longer period or remove a filter.
    </EmptyState>
  );
}

export function CallNotFound({ id }: { readonly id: string }): ReactNode {
  return (
    <EmptyState icon="search" title="No call has this id">
      <code>{id}</code> is no call, request, answer or session in the book of this workspace. A call is there a moment
      after it ended.
    </EmptyState>
  );
}
