import type { ReactNode } from 'react';
import type { EntryDetail } from '../../../../src/api/contract.ts';
import { Instant } from '../../shared/look/instant.tsx';
import { PageLink } from '../../shared/look/page-link.tsx';

interface TouchedLimitsProps {
  readonly limits: EntryDetail['limits'];
}

export function TouchedLimits({ limits }: TouchedLimitsProps): ReactNode {
  if (limits.length === 0) return <p className="soft">None: no limit counted it when it was made.</p>;
  return (
    <ul>
      {limits.map(({ id, unit, windowStart, value }) => (
        <li key={[id, unit, windowStart, value].join(' ')}>
          {id === null ? 'A limit that is gone' : <PageLink to="/limits">{id}</PageLink>}: {unit.replace('_', ' ')}
          {value !== null && `, ${value}`}
          {windowStart !== null && (
            <>
              , window from <Instant at={windowStart} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
