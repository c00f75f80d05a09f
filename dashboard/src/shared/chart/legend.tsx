import type { ReactNode } from 'react';
import type { TimeChartProps } from './chart-props.ts';
import styles from './time-chart.module.css';
import { isolated } from '../format/isolated.ts';

type LegendProps = Pick<TimeChartProps, 'layers' | 'nameOf' | 'format'> & { readonly colors: readonly string[] };

/** Which colour is what, with what it comes to. */
export function Legend({ layers, colors, nameOf, format }: LegendProps): ReactNode {
  return (
    <ul className={styles.legend}>
      {layers.map(({ value, total, leftOut }, index) => (
        <li key={value ?? ''}>
          <span className={styles.swatch} style={{ background: `var(${colors[index]})` }} />
          <span className={styles.name}>{isolated(nameOf(value))}</span>{' '}
          <span className="soft figure">{totalText(total, leftOut, format)}</span>
        </li>
      ))}
    </ul>
  );
}

/** What is left out is said, and a total of nothing else is not known. */
function totalText(total: number, leftOut: string | null, format: LegendProps['format']): string {
  if (leftOut === null) return format(total);
  return total === 0 ? `unknown, ${leftOut}` : `${format(total)}, ${leftOut}`;
}
