import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WrappedKeyDetail } from '../../../../src/contract/keys.ts';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { usePathParameter } from '../../shared/filter/address.ts';
import { callsText } from '../../shared/format/number.ts';
import { useMay, useSession } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { Instant, TagList } from '../../shared/ui/values.tsx';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import { ClientLines } from './client-lines.tsx';
import { LastCall } from './first-call.tsx';
import { EditKeyDialog, ReplaceProviderKeyDialog, RevokeKeyDialog } from './key-dialogs.tsx';
import { useSpendOfKey } from './key-spend.ts';
import { mayChangeKey } from './key-state.ts';
import { KeyBadge, providerKeyText } from './key-table.tsx';
import { PolicyDialog } from './policy-dialog.tsx';
import { describePolicy } from './policy-rules.ts';
import { useKey, usePolicy } from './queries.ts';

type OpenKeyDialog = 'edit' | 'replace' | 'revoke';

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

/** What can be done with a key by whoever looks at it. */
function KeyActions({ of }: { readonly of: WrappedKeyShape }): ReactNode {
  const session = useSession();
  const [deed, setDeed] = useState<OpenKeyDialog | null>(null);
  if (!mayChangeKey(session, of)) return null;
  const close = (): void => setDeed(null);
  return (
    <>
      <Button variant="default" onClick={() => setDeed('edit')}>
        Edit
      </Button>
      <Button variant="default" onClick={() => setDeed('replace')}>
        Replace provider key
      </Button>
      <Button variant="light" color="red" onClick={() => setDeed('revoke')}>
        Revoke
      </Button>
      {deed === 'edit' && <EditKeyDialog of={of} onClose={close} />}
      {deed === 'replace' && <ReplaceProviderKeyDialog of={of} onClose={close} />}
      {deed === 'revoke' && <RevokeKeyDialog of={of} onClose={close} />}
    </>
  );
}

interface PolicyCardProps {
  readonly keyId: string;
  readonly revoked: boolean;
}

/** What a key may do. */
function PolicyCard({ keyId, revoked }: PolicyCardProps): ReactNode {
  const policy = usePolicy(keyId);
  const mayChange = useMay('manage') && !revoked;
  const [editing, setEditing] = useState(false);
  return (
    <Card
      title="What it may do"
      aside={
        mayChange && (
          <Button size="xs" variant="default" onClick={() => setEditing(true)} disabled={!policy.data}>
            Edit rules
          </Button>
        )
      }
    >
      <Loaded of={policy}>
        {(found) => {
          const rules = describePolicy(found.policy);
          if (rules.length > 0) return <Facts of={rules} />;
          return (
            <p className="soft">
              Everything that its provider allows, within the limits. Rules can say which models, how much output, from
              where and when, and which tags a call must carry.
            </p>
          );
        }}
      </Loaded>
      {editing && policy.data && <PolicyDialog of={policy.data} onClose={() => setEditing(false)} />}
    </Card>
  );
}

function KeyFacts({ of }: { readonly of: WrappedKeyShape }): ReactNode {
  const { id, publicId, provider, tags, createdAt, expiresAt, revokedAt, providerKey } = of;
  const spend = useSpendOfKey(id);
  return (
    <Facts
      of={[
        ['State', <KeyBadge key="state" of={of} />],
        ['Provider', provider],
        ['Begins with', <code key="begin">svc_sk_{publicId}…</code>],
        ['Tags', Object.keys(tags).length === 0 ? 'none' : <TagList key="tags" tags={tags} />],
        [
          'Last 30 days',
          spend && (
            <span key="spend">
              <SummedCost {...spend} /> in {callsText(spend.calls)}
            </span>
          ),
        ],
        ['Created', <Instant key="created" at={createdAt} />],
        ['Expires', expiresAt === null ? 'never' : <Instant key="expires" at={expiresAt} />],
        ['Revoked', revokedAt === null ? null : <Instant key="revoked" at={revokedAt} />],
        [
          'Provider key',
          <span key="provider">
            {providerKeyText(of)}, set <Instant at={providerKey.setAt} />
          </span>,
        ],
        ['Id', <code key="id">{id}</code>],
      ]}
    />
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
