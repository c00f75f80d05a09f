import type { ReactNode } from 'react';
import type { CoverageShape } from '../../../../src/contract/coverage.ts';
import { shortDollars } from '../../../../src/domain/text/money.ts';
import { type ChartLayer, sum } from '../../shared/chart/stack.ts';
import { TimeChart } from '../../shared/chart/time-chart.tsx';
import { addDays } from '../../shared/time/local-day.ts';
import type { PeriodChoice } from '../../shared/time/period.ts';
import { useCoverageByDay } from './queries.ts';

interface CoverageChartProps {
  readonly organizationId: string;
  readonly choice: PeriodChoice;
}

/** Spend of each day through the gateway and outside; nothing without a final day. */
export function CoverageChart({ organizationId, choice }: CoverageChartProps): ReactNode {
  const { data } = useCoverageByDay(choice);
  const points = data?.organizations.find(({ id }) => id === organizationId)?.points ?? [];
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  const days = listDays(first.start, last.start);
  const layers = coverageLayers(points, days);
  return (
    <div>
      <h3>Coverage over time</h3>
      <TimeChart
        name="Spend through and outside the gateway"
        starts={days.map(dayInstant)}
        end={dayInstant(addDays(last.start, 1))}
        step="day"
        zone="UTC"
        layers={layers}
        colors={layers.map(({ value }) => PART_COLORS[value ?? ''] ?? '--series-other')}
        nameOf={(value) => value ?? 'Unclear'}
        format={shortDollars}
      />
    </div>
  );
}

type CoveragePoint = CoverageShape['organizations'][number]['points'][number];

const PARTS = [
  ['Through the gateway', ({ throughGateway }: CoveragePoint) => throughGateway],
  ['Outside the gateway', ({ outsideGateway }: CoveragePoint) => outsideGateway],
  [null, ({ unknown }: CoveragePoint) => unknown],
] as const;

const PART_COLORS: Readonly<Record<string, string>> = {
  'Through the gateway': '--series-1',
  'Outside the gateway': '--series-2',
};

/** Stacks the parts of each day; a part without spend is left out. */
export function coverageLayers(points: readonly CoveragePoint[], days: readonly string[]): readonly ChartLayer[] {
  const byDay = new Map(points.map((point) => [point.start, point]));
  const layers = PARTS.map(([value, amountOf]) => {
    const amounts = days.map((day) => {
      const point = byDay.get(day);
      return point ? amountOf(point) : 0;
    });
    return { value, amounts, total: sum(amounts), leftOut: null, leftOutAt: [], previous: null };
  });
  return layers.filter(({ total }) => total > 0);
}

function listDays(first: string, last: string): readonly string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

function dayInstant(day: string): string {
  return `${day}T00:00:00.000Z`;
}
