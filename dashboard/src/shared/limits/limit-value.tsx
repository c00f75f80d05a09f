import type { ReactNode } from 'react';
import { readEachValue } from '../../../../src/domain/limits/each-value.ts';
import { isolated } from '../format/isolated.ts';
import { SessionLink } from '../names/session-name.tsx';
import type { LimitScope } from './limit-text.ts';

interface LimitValueProps {
  readonly scope: LimitScope;
  /** A value that the limit counts separately. */
  readonly value: string;
}

/** Session, agent, run or tag value that a limit counts separately, as its client named it. */
export function LimitValue({ scope, value }: LimitValueProps): ReactNode {
  if (scope.kind !== 'each') return isolated(value);
  const { session, agent, run } = readEachValue(scope.of, value);
  const isMain = scope.of === 'agent' && agent === null && session !== null;
  const name = isMain ? 'Main agent' : (agent ?? run);
  if (session === null && name === null) return <span className="soft">No {scope.of}</span>;
  if (session !== null && scope.of === 'session') return <SessionLink session={session} />;
  return (
    <>
      {name !== null && isolated(name)}
      {session !== null && (
        <span className="soft beneath">
          Session <SessionLink session={session} />
        </span>
      )}
    </>
  );
}
