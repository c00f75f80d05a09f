import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WrappedKeyDetail, WrappedKeyShape } from '../../../../src/contract/keys.ts';
import { useAlertMarks } from '../../shared/alerts/alert-marks.ts';
import { usePathParameter } from '../../shared/filter/address.ts';
import { useMay, useSession } from '../../shared/session/session.ts';
import { useRefusalCounts } from '../../shared/refusals/queries.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { Instant, TagList } from '../../shared/ui/values.tsx';
import { SpendCard } from '../../shared/usage/spend-card.tsx';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import { BudgetsCard } from './budgets-card.tsx';
import { ClientLines } from './client-lines.tsx';
import { LastCall } from './first-call.tsx';
import { EditKeyDialog, ReplaceProviderKeyDialog, RevokeKeyDialog } from './key-dialogs.tsx';
import { useSpendOfKey } from './key-spend.ts';
import { mayChangeKey } from './key-state.ts';
import { KeyBadge, providerKeyText } from './key-table.tsx';
import { PolicyDialog } from './policy-dialog.tsx';
import { describePolicy } from './policy-rules.ts';
import { useKey, usePolicy } from './queries.ts';
import { callsText } from '../../../../src/domain/text/counts.ts';
import { FactsPlaceholder, RecordPlaceholder } from '../../shared/ui/placeholders.tsx';

type OpenKeyDialog = 'edit' | 'replace' | 'revoke';

/** One wrapped key: details, policy and setup. */
export function KeyPage(): ReactNode {
  const keyId = usePathParameter('keyId');
  const key = useKey(keyId);
  return (
    <Page
      title={key.data?.name ?? 'Key'}
      lead={<PageLink to="/keys">All keys</PageLink>}
      actions={key.data && <KeyActions of={key.data} />}
    >
      <Loaded of={key} placeholder={<RecordPlaceholder hasFigures={false} />}>
        {(found) => <KeyContent of={found} />}
      </Loaded>
    </Page>
  );
}

/** Actions on a key that the user may take. */
function KeyActions({ of }: { readonly of: WrappedKeyShape }): ReactNode {
  const session = useSession();
  const [openDialog, setOpenDialog] = useState<OpenKeyDialog | null>(null);
  if (!mayChangeKey(session, of)) return null;
  const close = (): void => setOpenDialog(null);
  return (
    <>
      <Button variant="default" onClick={() => setOpenDialog('edit')}>
        Edit
      </Button>
      {of.providerKey !== null && (
        <Button variant="default" onClick={() => setOpenDialog('replace')}>
          Replace provider key
        </Button>
      )}
      <Button variant="light" color="red" onClick={() => setOpenDialog('revoke')}>
        Revoke
      </Button>
      {openDialog === 'edit' && <EditKeyDialog of={of} onClose={close} />}
      {openDialog === 'replace' && <ReplaceProviderKeyDialog of={of} onClose={close} />}
      {openDialog === 'revoke' && <RevokeKeyDialog of={of} onClose={close} />}
    </>
  );
}

interface PolicyCardProps {
  readonly keyId: string;
  readonly revoked: boolean;
}

/** The policy of a key. */
function PolicyCard({ keyId, revoked }: PolicyCardProps): ReactNode {
  const policy = usePolicy(keyId);
  const mayChange = useMay('manage') && !revoked;
  const [editing, setEditing] = useState(false);
  return (
    <Card
      title="Policy"
      aside={
        mayChange && (
          <Button size="xs" variant="default" onClick={() => setEditing(true)} disabled={!policy.data}>
            Edit policy
          </Button>
        )
      }
    >
      <Loaded of={policy} placeholder={<FactsPlaceholder rows={2} />}>
        {(found) => {
          const rules = describePolicy(found.policy);
          if (rules.length > 0) return <Facts of={rules} />;
          return (
            <p className="soft">
              No restrictions. A policy can restrict models, output length, addresses and hours, and require tags.
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
  const refused = useRefusalCounts({ keyId: id });
  return (
    <Facts
      of={[
        ['State', <KeyBadge key="state" of={of} />],
        ['Provider', provider],
        ['Starts with', <code key="begin">svc_sk_{publicId}…</code>],
        ['Tags', Object.keys(tags).length === 0 ? 'None' : <TagList key="tags" tags={tags} />],
        [
          'Last 30 days',
          spend && (
            <span key="spend">
              {callsText(spend.calls)}: <SummedCost {...spend} />
            </span>
          ),
        ],
        [
          'Refused',
          refused.data && (
            <PageLink key="refused" to="/calls" search={{ key: id, only: 'refused' }}>
              {callsText(refused.data.calls)} in the last 30 days
            </PageLink>
          ),
        ],
        ['Created', <Instant key="created" at={createdAt} />],
        ['Expires', expiresAt === null ? 'Never' : <Instant key="expires" at={expiresAt} />],
        ['Revoked', revokedAt === null ? null : <Instant key="revoked" at={revokedAt} />],
        [
          'Provider key',
          <span key="provider">
            {providerKeyText(of)}
            {providerKey && (
              <>
                , set <Instant at={providerKey.setAt} />
              </>
            )}
          </span>,
        ],
        ['ID', <code key="id">{id}</code>],
      ]}
    />
  );
}

function KeyContent({ of }: { readonly of: WrappedKeyDetail }): ReactNode {
  const { id, revokedAt, lastCallAt } = of;
  const mayLimit = useMay('manage') && revokedAt === null;
  const alerts = useAlertMarks(({ scope, evidence }) => scope['key'] === id || evidence['key'] === id);
  return (
    <>
      {lastCallAt !== null && (
        <SpendCard title="Last 30 days" filter={{ key: id, range: '30d' }} dimension="model" marks={alerts} />
      )}
      <div className="halves">
        <Card
          title="Details"
          aside={
            <>
              <PageLink to="/calls" search={{ key: id }}>
                View calls
              </PageLink>
              {mayLimit && (
                <PageLink to="/limits/new" search={{ key: id }}>
                  Create limit
                </PageLink>
              )}
            </>
          }
        >
          <KeyFacts of={of} />
        </Card>
        <div className="stack">
          <BudgetsCard of={of} />
          <PolicyCard keyId={id} revoked={revokedAt !== null} />
        </div>
      </div>
      {revokedAt === null && (
        <Card title="Set up a client">
          <ClientLines keyId={id} secret={null} />
          <LastCall of={of} />
        </Card>
      )}
    </>
  );
}
