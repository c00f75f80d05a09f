import { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from 'chart.js';
import { isolated } from '../format/isolated.ts';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip);

export interface BarChartData {
  /** Under each bar. */
  readonly labels: readonly string[];
  /** Layers of each bar, lowest first. */
  readonly layers: readonly { readonly name: string; readonly color: string; readonly amounts: readonly number[] }[];
  readonly format: (amount: number) => string;
  readonly ink: string;
  readonly line: string;
  readonly surface: string;
  readonly onPick: (column: number, layer: number) => void;
}

/** A chart of stacked bars. `draw` replaces its data. */
export class BarChart {
  readonly #chart: Chart<'bar', number[], string>;
  #bars: BarChartData;

  constructor(canvas: HTMLCanvasElement, bars: BarChartData) {
    this.#bars = bars;
    this.#chart = new Chart(canvas, {
      type: 'bar',
      data: toChartData(bars),
      options: {
        ...toChartOptions(bars),
        onClick: (_, [element]) => {
          if (element) this.#bars.onPick(element.index, element.datasetIndex);
        },
        onHover: (_, [element]) => {
          canvas.style.cursor = element ? 'pointer' : 'default';
        },
      },
    });
  }

  draw(bars: BarChartData): void {
    this.#bars = bars;
    this.#chart.data = toChartData(bars);
    Object.assign(this.#chart.options, toChartOptions(bars));
    this.#chart.update('none');
  }

  close(): void {
    this.#chart.destroy();
  }
}

function toChartData({ labels, layers, surface }: BarChartData) {
  return {
    labels: [...labels],
    datasets: layers.map(({ name, color, amounts }) => ({
      label: name,
      data: [...amounts],
      backgroundColor: color,
      borderColor: surface,
      borderWidth: layers.length > 1 ? { top: 1, right: 0, bottom: 0, left: 0 } : 0,
      borderRadius: 1,
      maxBarThickness: 44,
      categoryPercentage: 0.86,
      barPercentage: 0.94,
    })),
  };
}

function toChartOptions({ ink, line, format }: BarChartData) {
  return {
    animation: false,
    maintainAspectRatio: false,
    interaction: { mode: 'nearest', intersect: true },
    scales: {
      x: {
        stacked: true,
        grid: { display: false },
        border: { color: line },
        ticks: { color: ink, maxRotation: 0, autoSkipPadding: 14 },
      },
      y: {
        stacked: true,
        beginAtZero: true,
        border: { display: false },
        grid: { color: line },
        ticks: { color: ink, maxTicksLimit: 6, callback: (amount: string | number) => format(Number(amount)) },
      },
    },
    plugins: {
      tooltip: {
        displayColors: true,
        boxPadding: 4,
        callbacks: {
          label: ({ dataset, raw }: { dataset: { label?: string | undefined }; raw: unknown }) =>
            `${isolated(dataset.label ?? '')}: ${format(Number(raw))}`,
        },
      },
    },
  } as const;
}
