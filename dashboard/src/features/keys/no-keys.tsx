import type { ReactNode } from 'react';
import { ButtonLink } from '../../shared/theme/button-link.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';

export function NoKeys({ mayCreate }: { readonly mayCreate: boolean }): ReactNode {
  return (
    <EmptyState
      icon="keys"
      title="No wrapped key yet"
      action={mayCreate ? <ButtonLink to="/keys/new">Create API key</ButtonLink> : undefined}
    >
      A wrapped key stands for a provider key that stays here, encrypted. Programs get the wrapped one: it works at this
      gate only, so that every call is counted, limits hold, and a leak is ended by one click.
      {!mayCreate && ' Ask a member or an admin for one.'}
    </EmptyState>
  );
}
