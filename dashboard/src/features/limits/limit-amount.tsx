import type { ReactNode } from 'react';
import type { ValueStanding } from '../../../../src/contract/limits.ts';
import { type LimitUnit } from '../../shared/limits/limit-text.ts';
import { Meter } from '../../shared/ui/meter.tsx';
import { Money } from '../../shared/ui/values.tsx';
import { shortCount } from '../../../../src/domain/text/counts.ts';
import type { UsdRounding } from '../../../../src/domain/text/money.ts';
import { describeShownAmount, describeUse } from '../../../../src/domain/text/limits.ts';

interface AmountProps {
  readonly unit: LimitUnit;
  /** Dollars, or a count. */
  readonly of: number;
  /** `down` for what is left, `up` for what is needed. */
  readonly rounding?: UsdRounding;
}

/** An amount in the unit of a limit. */
export function Amount({ unit, of, rounding = 'nearest' }: AmountProps): ReactNode {
  if (unit === 'usd') return <Money usd={of} rounding={rounding} />;
  return (
    <data className="figure" value={of} title={describeShownAmount(unit, of)}>
      {shortCount(of)}
    </data>
  );
}

interface LimitMeterProps {
  readonly of: Pick<ValueStanding, 'counted' | 'held' | 'effectiveAmount'>;
  readonly unit: LimitUnit;
}

/** Meter and text for the used part of a limit: `62% of $5.00 used, 8% reserved`. */
export function LimitMeter({ of, unit }: LimitMeterProps): ReactNode {
  const { counted, held, effectiveAmount } = of;
  const part = (amount: number): number => (effectiveAmount === 0 ? 1 : amount / effectiveAmount);
  const words = describeUse(of, unit);
  return (
    <>
      <Meter label={words} used={part(counted)} held={effectiveAmount === 0 ? 0 : part(held)} />
      <span className="soft">{words}</span>
    </>
  );
}
