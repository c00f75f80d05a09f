import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, memo, type ReactNode, useMemo } from 'react';
import { amountLabels, type AxisLabel, AXIS_LABEL_CHARACTERS, axisLabels } from './axis-labels.ts';
import { barHeight, barParts, columnAt, columnCenter, type PlotArea, plotArea } from './plot-area.ts';
import { type ChartBand, PlotBand } from './plot-band.tsx';
import { logScale, plotScale, type PlotScale } from './plot-scale.ts';
import styles from './plot.module.css';
import { type ChartLayer, sum } from './stack.ts';
import { usePlotPointer } from './use-plot-pointer.ts';
import type { PeriodStep } from '../../../../src/domain/time/period.ts';

/** Amount that a horizontal line marks. */
export interface ChartLine {
  readonly amount: number;
  readonly name: string;
}

export interface PlotData {
  /** Start of each column, ISO 8601. */
  readonly starts: readonly string[];
  readonly step: PeriodStep;
  readonly zone: string;
  readonly layers: readonly ChartLayer[];
  readonly format: (amount: number) => string;
  readonly line?: ChartLine | undefined;
  readonly band?: ChartBand | undefined;
  /** Number of columns with figures; the later ones are in the future. Absent = all. */
  readonly known?: number | undefined;
  /** Each column has the sum of all columns so far. */
  readonly isRunningTotal?: boolean;
  /** The axis is logarithmic. */
  readonly isLog?: boolean;
}

interface PlotProps extends PlotData {
  /** Accessible name. */
  readonly name: string;
  /** Color variable of each layer. */
  readonly colors: readonly string[];
  /** Columns in which something happened. */
  readonly marked: ReadonlyMap<number, string>;
  readonly now: number;
  readonly active: number | null;
  /** Time of the active column, for screen readers. */
  readonly title: string;
  /** The layer that is not dimmed; null = all. */
  readonly bright: number | null;
  readonly onActive: (column: number | null) => void;
  readonly onBright: (layer: number | null) => void;
  readonly onPick: (layer: number, column: number) => void;
  readonly onDrag: ((from: number, to: number) => void) | null;
}

/** Stacked bars over time. The pointer or the arrow keys choose a column. */
export function Plot(props: PlotProps): ReactNode {
  const { name, starts, layers, active, onActive, onBright, onPick, onDrag } = props;
  const { ref, width } = useElementSize<HTMLDivElement>();
  const scale = usePlotScale(props);
  const columns = starts.length;
  const labels = useMemo(() => amountLabels(scale.ticks, props.format), [scale, props.format]);
  const characters = Math.max(...labels.map(({ length }) => length));
  const { isRunningTotal = false } = props;
  const area = useMemo(
    () => plotArea({ width, columns, characters, isRunningTotal }),
    [width, columns, characters, isRunningTotal],
  );
  const { dragged, handlers } = usePlotPointer({
    active,
    find(x, y) {
      const column = columnAt(area, x, columns);
      const part = barParts(area, scale, layers, column).find((one) => y >= one.y && y < one.y + one.height);
      return { column, layer: part?.layer ?? null };
    },
    onActive,
    onHover: onBright,
    onPick,
    onDrag,
  });
  return (
    <div
      ref={ref}
      className={styles.plot}
      data-running={isRunningTotal}
      data-picks={props.bright !== null}
      tabIndex={0}
      role="slider"
      aria-label={`${name}, bar chart. The table below has the same figures.`}
      aria-valuemin={1}
      aria-valuemax={columns}
      aria-valuenow={(active ?? columns - 1) + 1}
      aria-valuetext={
        active === null ? 'No column chosen' : `${props.title}: ${props.format(columnTotal(layers, active))}`
      }
      onKeyDown={(event) => moveByKey(event, active, columns, onActive)}
      {...handlers}
    >
      {width > 0 && (
        <svg className={styles.drawing} width={width} height={area.height} aria-hidden>
          {active !== null && <Band area={area} from={active} to={active} className={styles.active} />}
          <Grid area={area} scale={scale} labels={labels} />
          {props.band && <PlotBand area={area} scale={scale} band={props.band} />}
          <Bars area={area} scale={scale} layers={layers} colors={props.colors} bright={props.bright} />
          <Foot {...props} area={area} scale={scale} />
          {dragged && <Band area={area} {...dragged} className={styles.dragged} />}
        </svg>
      )}
    </div>
  );
}

function columnTotal(layers: readonly ChartLayer[], column: number): number {
  return sum(layers.map(({ amounts }) => amounts[column] ?? 0));
}

function usePlotScale({ layers, starts, line, band, isLog = false }: PlotData): PlotScale {
  return useMemo(() => {
    const totals = starts.flatMap((_, column) => [
      columnTotal(layers, column),
      sum(layers.map(({ previous }) => previous?.amounts[column] ?? 0)),
    ]);
    const highest = band?.columns.map((range) => range?.high ?? 0) ?? [];
    const amounts = [...totals, ...highest, ...(line ? [line.amount] : [])];
    return isLog ? logScale(amounts) : plotScale(amounts);
  }, [layers, starts, line, band, isLog]);
}

function moveByKey(
  event: KeyboardEvent,
  active: number | null,
  columns: number,
  onActive: (column: number | null) => void,
): void {
  const last = columns - 1;
  const moves: Readonly<Record<string, number | null>> = {
    ArrowLeft: Math.max(0, (active ?? columns) - 1),
    ArrowRight: Math.min(last, active === null ? last : active + 1),
    Home: 0,
    End: last,
    Escape: null,
  };
  const column = moves[event.key];
  if (column === undefined) return;
  event.preventDefault();
  onActive(column);
}

interface BandProps {
  readonly area: PlotArea;
  readonly from: number;
  readonly to: number;
  readonly className: string | undefined;
}

/** Whole columns behind the bars. */
function Band({ area, from, to, className }: BandProps): ReactNode {
  const { left, band, top, bottom } = area;
  return (
    <rect className={className} x={left + from * band} y={top} width={(to - from + 1) * band} height={bottom - top} />
  );
}

interface GridProps {
  readonly area: PlotArea;
  readonly scale: PlotScale;
  /** Text of each tick. */
  readonly labels: readonly string[];
}

function Grid({ area, scale, labels }: GridProps): ReactNode {
  return scale.ticks.map((tick, index) => {
    const y = area.bottom - barHeight(area, scale, tick);
    return (
      <g key={tick}>
        <line className={styles.line} x1={area.left} x2={area.right} y1={y} y2={y} />
        <text className={styles.text} x={area.left - 6} y={y} textAnchor="end" dominantBaseline="central">
          {labels[index]}
        </text>
      </g>
    );
  });
}

interface BarsProps extends Pick<PlotProps, 'layers' | 'colors' | 'bright'> {
  readonly area: PlotArea;
  readonly scale: PlotScale;
}

/** Memoized: there may be hundreds of bars, and the pointer moves often. */
const Bars = memo(function Bars({ area, scale, layers, colors, bright }: BarsProps): ReactNode {
  const columns = layers[0]?.amounts.length ?? 0;
  return Array.from({ length: columns }, (_, column) => {
    const before = barHeight(area, scale, sum(layers.map(({ previous }) => previous?.amounts[column] ?? 0)));
    const [x, y] = [area.left + column * area.band, area.bottom - before];
    return (
      <g key={column}>
        {before > 0 && <rect className={styles.ghost} x={x} y={y} width={area.band} height={before} />}
        {barParts(area, scale, layers, column).map((part) => (
          <rect
            key={part.layer}
            className={styles.bar}
            data-dim={bright !== null && bright !== part.layer}
            style={{ fill: `var(${colors[part.layer] ?? '--series-other'})` }}
            x={columnCenter(area, column) - area.bar / 2}
            y={part.y}
            width={area.bar}
            // A gap separates layers that are high enough for one.
            height={part.height > 3 ? part.height - 1 : part.height}
          />
        ))}
        {before > 0 && <line className={styles.before} x1={x} x2={x + area.band} y1={y} y2={y} />}
      </g>
    );
  });
});

interface FootProps extends PlotProps {
  readonly area: PlotArea;
  readonly scale: PlotScale;
}

const LABEL_CHARACTER = 7;
const LABEL_GAP = 12;
const MARK_SIZE = 4;

/** Times below the bars, marks above them, and the line of a budget. */
function Foot({ area, scale, starts, step, zone, now, marked, line }: FootProps): ReactNode {
  const labelsMax = Math.floor((area.right - area.left) / (AXIS_LABEL_CHARACTERS * LABEL_CHARACTER + LABEL_GAP));
  const labels = useMemo(
    () => axisLabels({ starts, step, zone, now }, labelsMax),
    [starts, step, zone, now, labelsMax],
  );
  return (
    <>
      {labels.map((label) => (
        <Label key={label.column} area={area} {...label} />
      ))}
      {[...marked].map(([column, tone]) => (
        <circle
          key={column}
          className={styles.mark}
          data-tone={tone}
          cx={columnCenter(area, column)}
          cy={MARK_SIZE + 1}
          r={MARK_SIZE}
        />
      ))}
      {line && <Budget area={area} y={area.bottom - barHeight(area, scale, line.amount)} name={line.name} />}
    </>
  );
}

/** A label stays inside the drawing. */
function Label({ area, column, text }: AxisLabel & { readonly area: PlotArea }): ReactNode {
  const half = (text.length * LABEL_CHARACTER) / 2;
  const x = Math.min(area.right - half, Math.max(half, columnCenter(area, column)));
  return (
    <text className={styles.text} x={x} y={area.height - 6} textAnchor="middle">
      {text}
    </text>
  );
}

/** Room for the name of a line, in CSS pixels. */
const LINE_NAME = 14;

function Budget({ area, y, name }: { readonly area: PlotArea; readonly y: number; readonly name: string }): ReactNode {
  return (
    <>
      <line className={styles.budget} x1={area.left} x2={area.right} y1={y} y2={y} />
      <text className={styles.text} x={area.left + 6} y={y < area.top + LINE_NAME ? y + LINE_NAME : y - 5}>
        {name}
      </text>
    </>
  );
}
