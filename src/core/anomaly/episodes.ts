import type { Severity } from '../alert.ts';
import type { Finding, FindingType } from './finding.ts';
import type { SeriesScope } from './series.ts';

/** One incident, however many hours it lasts. Plain data: it may be stored as JSON and given back. */
export interface Episode {
  /** Scope, type and first hour; the same wherever and whenever it is computed. */
  readonly key: string;
  readonly type: FindingType;
  readonly scope: SeriesScope;
  readonly name: string;
  /** The worst so far. */
  readonly severity: Severity;
  /** Start of the hour that opened it, epoch ms. */
  readonly openedAt: number;
  /** End of the last hour that belongs to it. */
  readonly lastAt: number;
  /** null = it goes on. */
  readonly resolvedAt: number | null;
  readonly opening: Finding;
  readonly latest: Finding;
}

export interface EpisodeStep {
  /** Give these to the next step: what is open, and what ended so recently that it may come again. */
  readonly episodes: readonly Episode[];
  /** These changed in this step. Only `opened` and `worsened` are worth telling anybody. */
  readonly opened: readonly Episode[];
  readonly worsened: readonly Episode[];
  readonly reopened: readonly Episode[];
  readonly resolved: readonly Episode[];
}
