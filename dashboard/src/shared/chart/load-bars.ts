import type { BarChart } from './bar-chart.ts';

/** What draws bars: the largest piece there is, for pages that draw some. */
export async function loadBarChart(): Promise<typeof BarChart> {
  return (await import('./bar-chart.ts')).BarChart;
}
