import type { ReactNode } from 'react';
import { ButtonLink } from '../../shared/theme/button-link.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';

export function NoLimits({ mayChange }: { readonly mayChange: boolean }): ReactNode {
  return (
    <EmptyState
      icon="limits"
      title="No limit yet"
      action={mayChange ? <ButtonLink to="/limits/new">Set a limit</ButtonLink> : undefined}
    >
      A limit caps dollars, calls or tokens: of everything, a key, a provider, models, a tag, or each user apart. A call
      that could pass one is refused before it is sent, so that the cap holds to the cent. It counts what its window has
      seen already.
      {!mayChange && ' Ask an admin to set one.'}
    </EmptyState>
  );
}
