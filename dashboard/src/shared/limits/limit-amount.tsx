import type { ReactNode } from 'react';
import type { ValueStanding } from '../../../../src/contract/limits.ts';
import { formatCount, shortCount } from '../../../../src/domain/text/counts.ts';
import { describeShownAmount, describeUse } from '../../../../src/domain/text/limits.ts';
import { Meter } from '../ui/meter.tsx';
import { Money } from '../ui/values.tsx';
import type { LimitUnit } from './limit-text.ts';

interface AmountProps {
  readonly unit: LimitUnit;
  /** Dollars, or a count. */
  readonly of: number;
}

/** An amount in the unit of a limit, with the exact one in the title. */
export function Amount({ unit, of }: AmountProps): ReactNode {
  if (unit === 'usd') return <Money usd={of} />;
  return (
    <data className="figure" value={of} title={describeShownAmount(unit, of)}>
      {shortCount(of)}
    </data>
  );
}

interface AmountLeftProps extends AmountProps {
  /** Writes what is counted: `56 calls`. */
  readonly withNoun?: boolean;
}

/** An amount that is left under a limit: never shown as more than it is. */
export function AmountLeft({ unit, of, withNoun = false }: AmountLeftProps): ReactNode {
  const left = Math.max(0, of);
  if (unit === 'usd') return <Money usd={left} rounding="down" />;
  return <WholeCount unit={unit} of={left} withNoun={withNoun} />;
}

/** An amount that a call needed under a limit: never shown as less than it is. */
export function AmountNeeded({ unit, of }: AmountProps): ReactNode {
  if (unit === 'usd') return <Money usd={of} rounding="up" />;
  return <WholeCount unit={unit} of={of} withNoun={false} />;
}

function WholeCount({ unit, of, withNoun }: Required<AmountLeftProps>): ReactNode {
  const words = describeShownAmount(unit, of);
  return (
    <data className="figure" value={of} title={words}>
      {withNoun ? words : formatCount(of)}
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
