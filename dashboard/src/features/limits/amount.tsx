import type { ReactNode } from 'react';
import { Count } from '../../shared/theme/count.tsx';
import { Money } from '../../shared/theme/money.tsx';
import type { LimitUnit } from '../../shared/limits/limit-words.ts';

interface AmountProps {
  readonly unit: LimitUnit;
  /** Dollars, or a count. */
  readonly of: number;
}

/** An amount in the unit of a limit. */
export function Amount({ unit, of }: AmountProps): ReactNode {
  return unit === 'usd' ? <Money usd={of} /> : <Count of={of} unit={unit.replace('_', ' ')} />;
}
