import type { ReactNode } from 'react';
import type { WrappedKeyDetail } from '../../../../src/contract/keys.ts';
import { usePathParameter } from '../../shared/filter/use-path-text.ts';
import { PageLink } from '../../shared/theme/page-link.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { useMay } from '../../shared/session/session.ts';
import { ClientLines } from './client-lines.tsx';
import { LastCall } from './last-call.tsx';
import { KeyActions } from './key-actions.tsx';
import { KeyFacts } from './key-facts.tsx';
import { PolicyCard } from './policy-card.tsx';
import { useKey } from './use-key.ts';

/** One wrapped key: what it is, what it may do, how it is used. */
export function KeyPage(): ReactNode {
  const keyId = usePathParameter('keyId');
  const key = useKey(keyId);
  return (
    <Page
      title={key.data?.name ?? 'One key'}
      lead={<PageLink to="/keys">All keys</PageLink>}
      actions={key.data && <KeyActions of={key.data} />}
    >
      <Loaded of={key} rows={10}>
        {(found) => <KeyContent of={found} />}
      </Loaded>
    </Page>
  );
}

function KeyContent({ of }: { readonly of: WrappedKeyDetail }): ReactNode {
  const { id, revokedAt } = of;
  const mayLimit = useMay('manage') && revokedAt === null;
  return (
    <>
      <div className="halves">
        <Card
          title="What it is"
          aside={
            <>
              <PageLink to="/calls" search={{ key: id }}>
                Its calls
              </PageLink>
              {mayLimit && (
                <PageLink to="/limits/new" search={{ key: id }}>
                  Set a limit
                </PageLink>
              )}
            </>
          }
        >
          <KeyFacts of={of} />
        </Card>
        <PolicyCard keyId={id} revoked={revokedAt !== null} />
      </div>
      {revokedAt === null && (
        <Card title="Use it">
          <ClientLines keyId={id} secret={null} />
          <LastCall of={of} />
        </Card>
      )}
    </>
  );
}
