import type { ReactNode } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { Ago } from '../../shared/theme/instant.tsx';
import { StateBadge } from '../../shared/theme/state-badge.tsx';
import { useNow } from '../../shared/time/use-now.ts';
import { keyState } from './key-state.ts';

const BADGE_REFRESH_MS = 15_000;
const WEEK_MS = 7 * 86_400_000;

/** Whether it works, and for how long where that is not for good. */
export function KeyBadge({ of }: { readonly of: WrappedKeyShape }): ReactNode {
  const now = useNow(BADGE_REFRESH_MS);
  const state = keyState(of, now);
  const color = state === 'works' ? 'teal' : state === 'expired' ? 'red' : 'gray';
  const endsSoon = state === 'works' && of.expiresAt !== null && Date.parse(of.expiresAt) - now < WEEK_MS;
  return (
    <StateBadge color={endsSoon ? 'yellow' : color}>
      {endsSoon ? <>expires {of.expiresAt !== null && <Ago at={of.expiresAt} />}</> : state}
    </StateBadge>
  );
}
