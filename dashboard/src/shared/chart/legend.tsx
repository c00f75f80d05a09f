import type { ReactNode } from 'react';
import type { TimeChartProps } from './chart-props.ts';
import styles from './time-chart.module.css';
import { isolated } from '../format/isolated.ts';

type ChartLegendProps = Pick<TimeChartProps, 'layers' | 'nameOf' | 'format'> & { readonly colors: readonly string[] };

/** Which colour is what, with what it comes to. */
export function ChartLegend({ layers, colors, nameOf, format }: ChartLegendProps): ReactNode {
  return (
    <ul className={styles.legend}>
      {layers.map(({ value, total, leftOut }, index) => (
        <li key={value ?? ''}>
          <span className={styles.swatch} style={{ background: `var(${colors[index]})` }} />
          <span className={styles.name}>{isolated(nameOf(value))}</span>{' '}
          <span className="soft figure">{legendTotal(total, leftOut, format)}</span>
        </li>
      ))}
    </ul>
  );
}

/** What is left out is said, and a total of nothing else is not known. */
function legendTotal(total: number, leftOut: string | null, format: ChartLegendProps['format']): string {
  if (leftOut === null) return format(total);
  return total === 0 ? `unknown, ${leftOut}` : `${format(total)}, ${leftOut}`;
}
