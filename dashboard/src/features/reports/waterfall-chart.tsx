import type { ReactNode } from 'react';
import { centDollars } from '../../../../src/domain/text/money.ts';
import type { ReasonNames, ReconciledOrganization } from './queries.ts';
import { waterfall, type WaterfallStep } from './waterfall.ts';
import styles from './waterfall-chart.module.css';

interface WaterfallChartProps {
  readonly organization: ReconciledOrganization;
  readonly reasonNames: ReasonNames;
}

/** Bars from the ledger over each reason to the bill. */
export function WaterfallChart({ organization, reasonNames }: WaterfallChartProps): ReactNode {
  return (
    <figure className={styles.figure} aria-label={`From ledger to bill of ${organization.name}`}>
      <ol className={styles.steps}>
        {waterfall(organization, reasonNames).map((step) => (
          <Step key={step.name} step={step} />
        ))}
      </ol>
    </figure>
  );
}

function Step({ step: { name, amount, kind, from, to } }: { readonly step: WaterfallStep }): ReactNode {
  const place = { '--from': String(from), '--to': String(to) } as Record<string, string>;
  return (
    <li className={styles.step} data-kind={kind}>
      <span className={styles.name}>{name}</span>
      <span className={styles.track} style={place} aria-hidden>
        <span className={styles.bar} />
      </span>
      <span className="figure">
        {kind === 'more' && '+'}
        {centDollars(amount)}
      </span>
    </li>
  );
}
