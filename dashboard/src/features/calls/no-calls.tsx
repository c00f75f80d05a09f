import type { ReactNode } from 'react';
import { PageLink } from '../../shared/look/page-link.tsx';
import { EmptyState } from '../../shared/parts/empty-state.tsx';

export function NoCalls(): ReactNode {
  return (
    <EmptyState icon="calls" title="No calls here" action={<PageLink to="/keys">Make a wrapped key</PageLink>}>
      Calls appear here as soon as they pass the gate: give your program a wrapped key and Tollbook’s address, nothing
      else changes. If there should be some, take a longer period or remove a filter.
    </EmptyState>
  );
}
