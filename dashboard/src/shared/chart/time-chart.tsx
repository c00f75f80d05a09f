import { useClickOutside } from '@mantine/hooks';
import { type FocusEvent, type ReactNode, useState } from 'react';
import { formatWholeStep } from '../../../../src/domain/text/dates.ts';
import type { PeriodStep } from '../../../../src/domain/time/period.ts';
import { type ChartActions, type ChartMark, type ChartTime, NO_ACTIONS } from './chart-actions.ts';
import { ChartLegend } from './chart-legend.tsx';
import { ChartTable } from './chart-table.tsx';
import { ColumnTooltip } from './column-tooltip.tsx';
import { Plot, type PlotData } from './plot.tsx';
import { seriesColors } from './series-colors.ts';
import styles from './time-chart.module.css';
import { useNow } from '../time/clock.ts';

interface TimeChartProps extends PlotData {
  /** Accessible name: "Cost by model". */
  readonly name: string;
  /** End of the last column, ISO 8601. */
  readonly end: string;
  /** Color variable of each layer; absent = by name. */
  readonly colors?: readonly string[];
  readonly nameOf: (value: string | null) => string;
  readonly marks?: readonly ChartMark[];
  readonly actions?: ChartActions;
}

/** Stacked bars over time, with all values of a column in a tooltip, and the same figures as a table. */
export function TimeChart(props: TimeChartProps): ReactNode {
  const { name, starts, end, step, zone, layers, nameOf, format, actions = NO_ACTIONS, band, known } = props;
  const [bright, setBright] = useState<number | null>(null);
  const colors = props.colors ?? seriesColors(layers.map(({ value }) => value));
  const times = starts.map((start, column) => ({ start, until: starts[column + 1] ?? end }));
  const showsLegend = layers.length > 1 || layers.some(({ leftOut, previous }) => leftOut !== null || previous);
  return (
    <figure className={styles.figure} aria-label={name}>
      {showsLegend && <ChartLegend {...{ layers, colors, nameOf, format }} pick={actions.pick} onBright={setBright} />}
      <Columns {...props} times={times} colors={colors} bright={bright} onBright={setBright} />
      <figcaption className={styles.caption}>
        {STEP_NAMES[step]} in {zone}.{actions.zoom && ' Drag to zoom.'}
      </figcaption>
      <ChartTable {...{ name, times, step, zone, layers, nameOf, format, band, known }} calls={actions.calls} />
    </figure>
  );
}

interface ColumnsProps extends TimeChartProps {
  readonly times: readonly ChartTime[];
  readonly colors: readonly string[];
  readonly bright: number | null;
  readonly onBright: (layer: number | null) => void;
}

/** The bars, and the tooltip of the column that is chosen. */
function Columns(props: ColumnsProps): ReactNode {
  const { times, step, zone, layers, marks = [], actions = NO_ACTIONS } = props;
  const [active, setActive] = useState<number | null>(null);
  const now = useNow();
  const ref = useClickOutside<HTMLDivElement>(() => setActive(null));
  const marked = groupMarks(marks, times);
  const time = active === null ? undefined : times[active];
  const title = time ? formatWholeStep(time.start, time.until, step, zone) : '';
  const zoomTo = (from: number, to: number): void => {
    const [first, last] = [times[from], times[to]];
    if (first && last) actions.zoom?.({ start: first.start, until: last.until });
  };
  const leave = (event: FocusEvent<HTMLDivElement>): void => {
    if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget)) setActive(null);
  };
  return (
    <div
      ref={ref}
      className={styles.chart}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setActive(null)}
      onBlur={leave}
    >
      <Plot
        {...props}
        marked={new Map([...marked].map(([column, those]) => [column, those[0]?.tone ?? 'neutral']))}
        now={now}
        title={title}
        active={active}
        onActive={setActive}
        onPick={(layer, column) => actions.pick(layers[layer]?.value ?? null, times[column])?.()}
        onDrag={actions.zoom && zoomTo}
      />
      {active !== null && time && (
        <ColumnTooltip
          // A tooltip scrolls into view when it opens.
          key={active}
          {...props}
          actions={actions}
          title={title}
          time={time}
          column={active}
          marks={marked.get(active) ?? []}
          place={times.length > 1 ? active / (times.length - 1) : 0}
        />
      )}
    </div>
  );
}

/** Groups marks by column. Marks outside the chart are left out. */
function groupMarks(
  marks: readonly ChartMark[],
  times: readonly ChartTime[],
): ReadonlyMap<number, readonly ChartMark[]> {
  const instant = (text: string): number => Date.parse(text);
  const columns = Map.groupBy(marks, ({ at }) =>
    times.findIndex(({ start, until }) => instant(at) >= instant(start) && instant(at) < instant(until)),
  );
  columns.delete(-1);
  return columns;
}

const STEP_NAMES: Readonly<Record<PeriodStep, string>> = {
  minute: 'Minutes',
  ten_minutes: 'Ten minutes',
  hour: 'Hours',
  day: 'Days',
  week: 'Weeks',
  month: 'Months',
};
