import type { ReactNode } from 'react';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { ButtonLink } from '../../shared/theme/button-link.tsx';
import { useWorkspace } from '../../shared/session/session.ts';
import { findRelatedPages } from './concerned.ts';

/** Where to look next. */
export function AlertLinks({ alert }: { readonly alert: AlertShape }): ReactNode {
  const { timeZone } = useWorkspace();
  return (
    <div className="row">
      {findRelatedPages(alert, timeZone).map(({ name, to, search }) => (
        <ButtonLink key={name} to={to} search={search} variant="default">
          {name}
        </ButtonLink>
      ))}
    </div>
  );
}
