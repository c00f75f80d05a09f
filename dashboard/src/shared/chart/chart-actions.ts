/** Event in one column of a chart, for instance a limit that was reached. */
export interface ChartMark {
  /** ISO 8601 */
  readonly at: string;
  readonly text: string;
  readonly tone: 'bad' | 'warn' | 'neutral';
  /** Path of the page about it. */
  readonly to?: string;
}

/** A time of a chart. ISO 8601; `until` is exclusive. */
export interface ChartTime {
  readonly start: string;
  readonly until: string;
}

/** A page that shows the calls of a bar or a whole column. */
export interface ChartLink {
  readonly to: string;
  readonly search: Readonly<Record<string, string | undefined>>;
}

/** Actions on the parts of a chart. */
export interface ChartActions {
  /** Returns the action of a click on a value, of one column or of the whole chart; null = it has none. */
  readonly pick: (value: string | null, time?: ChartTime) => (() => void) | null;
  /** Shows a shorter time; null = the time can't be shorter. */
  readonly zoom: ((time: ChartTime) => void) | null;
  /** Returns the link to the calls of a value, or of all values if it is undefined; null = there is none. */
  readonly calls: (time: ChartTime, value?: string | null) => ChartLink | null;
}

/** For a chart that can only be read. */
export const NO_ACTIONS: ChartActions = { pick: () => null, zoom: null, calls: () => null };
