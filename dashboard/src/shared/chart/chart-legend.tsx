import type { ReactNode } from 'react';
import { isolated } from '../format/isolated.ts';
import { ChangeMark } from './change-mark.tsx';
import type { ChartActions } from './chart-actions.ts';
import styles from './chart-legend.module.css';
import { amountText } from './column-rows.ts';
import type { ChartLayer } from './stack.ts';

interface ChartLegendProps {
  readonly layers: readonly ChartLayer[];
  /** Color variable of each layer. */
  readonly colors: readonly string[];
  readonly nameOf: (value: string | null) => string;
  readonly format: (amount: number) => string;
  readonly pick: ChartActions['pick'];
  readonly onBright: (layer: number | null) => void;
}

/** Legend with the total of each value. A click filters by a value, hovering dims the others. */
export function ChartLegend({ layers, colors, nameOf, format, pick, onBright }: ChartLegendProps): ReactNode {
  return (
    <ul className={styles.legend} onPointerLeave={() => onBright(null)}>
      {layers.map(({ value, total, leftOut, previous }, index) => (
        <li key={value ?? ''} onPointerEnter={() => onBright(index)}>
          <Swatch color={colors[index]} />
          <ValueButton name={nameOf(value)} pick={pick(value)} />{' '}
          <span className="soft figure">{amountText(total, leftOut, format)}</span>
          {previous && <ChangeMark now={total} before={previous.total} />}
        </li>
      ))}
    </ul>
  );
}

/** A square in the color of a value. */
export function Swatch({ color = '--series-other' }: { readonly color?: string | undefined }): ReactNode {
  return <span className={styles.swatch} style={{ background: `var(${color})` }} />;
}

interface ValueButtonProps {
  readonly name: string;
  /** null = the value can't be chosen. */
  readonly pick: (() => void) | null;
}

/** The name of a value, which filters by it. */
export function ValueButton({ name, pick }: ValueButtonProps): ReactNode {
  if (pick === null) return <span className={styles.name}>{isolated(name)}</span>;
  return (
    <button type="button" className={styles.name} title={`Filter by ${name}`} onClick={pick}>
      {isolated(name)}
    </button>
  );
}
