import type { ReactNode } from 'react';
import { exactUsd, formatUsd } from '../format/money.ts';

/** An amount of dollars at a readable length; the exact one is in its title. null = unknown, and said so. */
export function Money({ usd }: { readonly usd: number | null }): ReactNode {
  return (
    <data className={usd === null ? 'figure soft' : 'figure'} value={usd ?? ''} title={exactUsd(usd)}>
      {formatUsd(usd)}
    </data>
  );
}
