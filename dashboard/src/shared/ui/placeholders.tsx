import type { ReactNode } from 'react';
import { Card } from './card.tsx';
import styles from './placeholders.module.css';

/** Shapes of content that is loading, as high as the content itself, so that the page does not jump. */

interface PlaceholderProps {
  readonly rows?: number;
}

export function LinesPlaceholder({ rows = 3 }: PlaceholderProps): ReactNode {
  return (
    <div className={styles.lines}>
      {repeat(rows, () => (
        <Bar />
      ))}
    </div>
  );
}

const COLUMNS = 4;

/** A table with its head. */
export function TablePlaceholder({ rows = 3 }: PlaceholderProps): ReactNode {
  return (
    <div>
      {repeat(rows + 1, () => (
        <div className={styles.row}>
          {repeat(COLUMNS, () => (
            <Bar />
          ))}
        </div>
      ))}
    </div>
  );
}

/** Names and values. */
export function FactsPlaceholder({ rows = 6 }: PlaceholderProps): ReactNode {
  return (
    <div>
      {repeat(rows, () => (
        <div className={styles.fact}>
          {repeat(2, () => (
            <Bar />
          ))}
        </div>
      ))}
    </div>
  );
}

const FIGURES = 4;
const FIGURE_LINES = 3;

/** A row of main figures. */
export function FiguresPlaceholder(): ReactNode {
  return (
    <div className="cards">
      {repeat(FIGURES, () => (
        <div className={styles.figure}>
          {repeat(FIGURE_LINES, () => (
            <Bar />
          ))}
        </div>
      ))}
    </div>
  );
}

const CHART_BARS = 24;

/** A chart with bars and its legend. */
export function ChartPlaceholder(): ReactNode {
  return (
    <div className="stack">
      <div className={styles.chart}>
        {repeat(CHART_BARS, () => (
          <Bar />
        ))}
      </div>
      <Bar />
    </div>
  );
}

/** Fields of a form. */
export function FieldsPlaceholder({ rows = 3 }: PlaceholderProps): ReactNode {
  return (
    <div className="stack form">
      {repeat(rows, () => (
        <div className={styles.field}>
          {repeat(2, () => (
            <Bar />
          ))}
        </div>
      ))}
    </div>
  );
}

/** The page of one record: its figures, and its details in two columns. */
export function RecordPlaceholder({ hasFigures = true }: { readonly hasFigures?: boolean }): ReactNode {
  return (
    <div className="stack">
      {hasFigures && <FiguresPlaceholder />}
      <div className="halves">
        <Card>
          <FactsPlaceholder rows={8} />
        </Card>
        <Card>
          <FactsPlaceholder rows={4} />
        </Card>
      </div>
    </div>
  );
}

function Bar(): ReactNode {
  return <span className={styles.bar} />;
}

function repeat(count: number, render: () => ReactNode): ReactNode {
  return Array.from({ length: count }, (_, index) => (
    <div key={index} className={styles.part}>
      {render()}
    </div>
  ));
}
