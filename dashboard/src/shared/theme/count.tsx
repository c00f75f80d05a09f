import type { ReactNode } from 'react';
import { exactCount, formatCount } from '../format/number.ts';

/** A number of things at a readable length; the exact one is in its title. */
export function Count({ of, unit = '' }: { readonly of: number; readonly unit?: string }): ReactNode {
  return (
    <data className="figure" value={of} title={`${exactCount(of)} ${unit}`.trim()}>
      {formatCount(of)}
    </data>
  );
}
