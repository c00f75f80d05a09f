import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/filter/address.ts';
import { readText } from '../../shared/filter/usage-filter.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { ButtonLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { KeyTable } from './key-table.tsx';
import { useKeys } from './queries.ts';

/** Wrapped keys: who may call which provider, and what each came to. */
export function KeysPage(): ReactNode {
  const keys = useKeys();
  const mayCreate = useMay('work');
  const { search, change } = useAddress((text) => ({ revoked: readText(text, 'revoked') === 'shown' }));
  return (
    <Page
      title="Keys"
      lead="Programs get wrapped keys; the provider’s own stay here, encrypted."
      actions={mayCreate && <ButtonLink to="/keys/new">Create API key</ButtonLink>}
    >
      <Card>
        <Loaded of={keys} rows={6}>
          {(all) => {
            if (all.length === 0) return <NoKeys mayCreate={mayCreate} />;
            const live = all.filter(({ revokedAt }) => revokedAt === null);
            return (
              <>
                {live.length < all.length && (
                  <Checkbox
                    label={`Show revoked keys (${all.length - live.length})`}
                    checked={search.revoked}
                    onChange={({ currentTarget }) => change({ revoked: currentTarget.checked ? 'shown' : undefined })}
                  />
                )}
                <KeyTable keys={search.revoked ? all : live} />
              </>
            );
          }}
        </Loaded>
      </Card>
    </Page>
  );
}

function NoKeys({ mayCreate }: { readonly mayCreate: boolean }): ReactNode {
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
