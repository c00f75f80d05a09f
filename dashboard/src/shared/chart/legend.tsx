import type { ReactNode } from 'react';
import type { TimeChartProps } from './chart-props.ts';
import styles from './time-chart.module.css';

type LegendProps = Pick<TimeChartProps, 'layers' | 'nameOf' | 'format'> & { readonly colors: readonly string[] };

/** Which colour is what, with what it comes to. */
export function Legend({ layers, colors, nameOf, format }: LegendProps): ReactNode {
  return (
    <ul className={styles.legend}>
      {layers.map(({ value, total }, index) => (
        <li key={value ?? ''}>
          <span className={styles.swatch} style={{ background: `var(${colors[index]})` }} />
          <span className={styles.name}>{nameOf(value)}</span> <span className="soft figure">{format(total)}</span>
        </li>
      ))}
    </ul>
  );
}
