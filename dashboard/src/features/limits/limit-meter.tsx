import type { ReactNode } from 'react';
import type { ValueStanding } from '../../../../src/contract/limits.ts';
import { Meter } from '../../shared/theme/meter.tsx';
import { usedText } from '../../shared/limits/fullness.ts';
import type { LimitUnit } from '../../shared/limits/limit-words.ts';

interface LimitMeterProps {
  readonly of: Pick<ValueStanding, 'counted' | 'held' | 'amountInForce'>;
  readonly unit: LimitUnit;
}

/** How much of a limit is counted and held: `62% of $5.00 used`. */
export function LimitMeter({ of, unit }: LimitMeterProps): ReactNode {
  const { counted, held, amountInForce } = of;
  const part = (amount: number): number => (amountInForce === 0 ? 1 : amount / amountInForce);
  const words = usedText(of, unit);
  return (
    <>
      <Meter label={words} used={part(counted)} held={amountInForce === 0 ? 0 : part(held)} />
      <span className="soft">{words}</span>
    </>
  );
}
