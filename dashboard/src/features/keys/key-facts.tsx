import type { ReactNode } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { callsText } from '../../shared/format/number.ts';
import { Instant } from '../../shared/theme/instant.tsx';
import { TagList } from '../../shared/theme/tag-list.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { SummedCost } from '../../shared/usage/summed-cost.tsx';
import { KeyBadge } from './key-badge.tsx';
import { providerKeyText } from './key-table.tsx';
import { useSpendOfKey } from './use-key-spend.ts';

export function KeyFacts({ of }: { readonly of: WrappedKeyShape }): ReactNode {
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
