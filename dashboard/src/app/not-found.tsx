import type { ReactNode } from 'react';
import { PageLink } from '../shared/theme/page-link.tsx';
import { EmptyState } from '../shared/ui/empty-state.tsx';

export function PageNotFound(): ReactNode {
  return (
    <EmptyState icon="search" title="There is no such page" action={<PageLink to="/">To the overview</PageLink>}>
      The address may be cut short. Everything there is stands in the navigation.
    </EmptyState>
  );
}
