import type { ReactNode } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import { Instant } from '../../shared/theme/instant.tsx';
import { PageLink } from '../../shared/theme/page-link.tsx';
import { useKeyNames } from '../../shared/names/use-key-names.ts';
import { Facts } from '../../shared/ui/facts.tsx';
import { amountText, rateText, scopeText } from '../../shared/limits/limit-words.ts';

export function LimitFacts({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const { id, scope, action, thresholds, unit, raise, amount, resetsAt, uncertainRule } = limit;
  const keyNames = useKeyNames();
  const counts = scopeText(scope, (keyId) => keyNames.get(keyId) ?? keyId);
  return (
    <Facts
      of={[
        ['Counts', scope.kind === 'key' ? <PageLink to={`/keys/${scope.keyId}`}>{counts}</PageLink> : counts],
        ['At most', rateText(limit)],
        [
          'Raised',
          raise && raise.amount > amount ? (
            <span key="raise">
              to {amountText(unit, raise.amount)} until <Instant at={raise.until} />
            </span>
          ) : null,
        ],
        ['When reached', action === 'block' ? 'refuses what could pass it' : 'warns; calls go on'],
        ['Counts anew', resetsAt === null ? 'never' : <Instant key="resets" at={resetsAt} />],
        ['Alerts at', [...new Set([...thresholds, 100])].map((one) => `${one}%`).join(', ')],
        ['Unknown costs', uncertainRule === 'keep' ? 'count until the window ends' : uncertainRule],
        ['Id', <code key="id">{id}</code>],
      ]}
    />
  );
}
