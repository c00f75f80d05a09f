import type { ReactNode } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import { fullness } from '../../shared/limits/fullness.ts';
import { amountText, limitName } from '../../shared/limits/limit-words.ts';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { Meter } from '../../shared/theme/meter.tsx';
import { PageLink } from '../../shared/theme/page-link.tsx';
import { useKeyNames } from '../../shared/names/use-key-names.ts';
import { Card } from '../../shared/ui/card.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import styles from './overview.module.css';

const LIMITS_SHOWN = 4;

/** The limits that are nearest to their end. */
export function TightestLimits(): ReactNode {
  const limits = useLimits();
  return (
    <Card title="Limits" aside={<PageLink to="/limits">All limits</PageLink>}>
      <Loaded of={limits}>
        {(page) =>
          page.limits.length === 0 ? (
            <EmptyState icon="limits" title="No limit yet" action={<PageLink to="/limits">Set a limit</PageLink>}>
              A limit holds: what a call may cost at most is set aside before it leaves.
            </EmptyState>
          ) : (
            <ul className={styles.list}>
              {page.limits
                .toSorted((a, b) => fullness(b) - fullness(a))
                .slice(0, LIMITS_SHOWN)
                .map((limit) => (
                  <TightLimit key={limit.id} limit={limit} />
                ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function TightLimit({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const keyNames = useKeyNames();
  const name = limitName(limit, (id) => keyNames.get(id) ?? id);
  return (
    <li>
      <div className={styles.line}>
        <span>{name}</span>
        <span className="soft figure">{amountText(limit.unit, Math.max(0, limit.left))} left</span>
      </div>
      <Meter label={`Used of ${name}`} used={fullness(limit)} />
    </li>
  );
}
