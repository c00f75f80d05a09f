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
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

/** All wrapped keys with their state and spend. */
export function KeysPage(): ReactNode {
  const keys = useKeys();
  const mayCreate = useMay('work');
  const { search, change } = useAddress((text) => ({ revoked: readText(text, 'revoked') === 'shown' }));
  return (
    <Page
      title="Keys"
      lead="Programs use wrapped keys. Provider keys stay here, encrypted."
      actions={mayCreate && <ButtonLink to="/keys/new">Create key</ButtonLink>}
    >
      <Card>
        <Loaded of={keys} placeholder={<TablePlaceholder rows={6} />}>
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
      title="No keys yet"
      action={mayCreate ? <ButtonLink to="/keys/new">Create key</ButtonLink> : undefined}
    >
      A wrapped key (also called a virtual key) replaces a provider key in your programs. It works only with this
      Tollbook: every call is recorded, limits apply, and you can revoke it with one click.
      {!mayCreate && ' Ask a member or an admin to create one.'}
    </EmptyState>
  );
}
