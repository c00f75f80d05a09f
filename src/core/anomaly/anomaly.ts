import type { Episode } from './episodes.ts';
import type { Finding, SeriesVerdict } from './finding.ts';
import type { DetectSettings, Series } from './series.ts';

export interface DetectInput {
  /** All series of one workspace, in any order; the whole workspace is one of them (or the only one). */
  readonly series: readonly Series[];
  /** The workspace's IANA time zone: what people call night and Sunday. */
  readonly timeZone: string;
  /** Epoch ms. The hour it lies in is not over: only what already holds is said of it. */
  readonly now: number;
  /** The hours from this instant on are all there (epoch ms). 28 days before `now` are needed, 63 are of use. */
  readonly since: number;
  readonly settings: DetectSettings;
}

export interface Detection {
  /** Start of the hour that was judged: the one `now` lies in, or the one before where `now` is its very end. */
  readonly hour: number;
  /** One per incident, the strongest first. */
  readonly findings: readonly Finding[];
  /** One per series, in the order of the input. */
  readonly verdicts: readonly SeriesVerdict[];
}

/** What is unusual in a workspace at `now`. */
export type Detect = (input: DetectInput) => Detection;

/** What would have been said hour by hour from `from` until `to` (epoch ms); `now` is of no account. */
export type Backtest = (input: DetectInput, from: number, to: number) => readonly Episode[];
