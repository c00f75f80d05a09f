import type { AlertSeverity } from '../alerts/alert.ts';
import type { Finding, FindingType } from './finding.ts';
import { canAbsorb } from './rollup.ts';
import { scopeKey, type SeriesScope } from './series.ts';
import { HOUR_MS } from '../time/units.ts';

/** One incident, however many hours it lasts. Plain data: it may be stored as JSON and given back. */
export interface Episode {
  /** Scope, type and first hour; the same wherever and whenever it is computed. */
  readonly key: string;
  readonly type: FindingType;
  readonly scope: SeriesScope;
  readonly name: string;
  /** The worst so far. */
  readonly severity: AlertSeverity;
  /** Start of the hour that opened it, epoch ms. */
  readonly openedAt: number;
  /** End of the last hour that belongs to it. */
  readonly lastAt: number;
  /** null = it continues. */
  readonly resolvedAt: number | null;
  /** `scopeKey` of the other series that were part of it. */
  readonly covers: readonly string[];
  readonly opening: Finding;
  /** The last finding that was reported: the opening one, or the one that made the episode worse. */
  readonly finding: Finding;
  /** Hours that were reported: the first one, and those in which it became worse (epoch ms). */
  readonly alertedAt: readonly number[];
  readonly latest: Finding;
}

export interface EpisodeStep {
  /** Give these to the next step: what is open, and what ended so recently that it may come again. */
  readonly episodes: readonly Episode[];
  /** These changed in this step. Only `opened` and `worsened` raise alerts. */
  readonly opened: readonly Episode[];
  readonly worsened: readonly Episode[];
  readonly reopened: readonly Episode[];
  readonly resolved: readonly Episode[];
}

/** An episode ends after this many hours without a finding, and reopens within this many more. */
export const CALM_HOURS = 12;
export const COOLDOWN_HOURS = 24;
/** Findings of whole days can cover hours of an earlier episode. */
const REMEMBERED_HOURS = 240;
const WORSE_FACTOR = 10;
/** Series of one episode that are remembered. */
const COVERS_MAX = 50;
const RANKS: Readonly<Record<AlertSeverity, number>> = { info: 0, warning: 1, critical: 2 };

/**
 * Takes the findings of one hour into the episodes. The same findings twice change nothing.
 *
 * @param known what the step before gave as `episodes`
 * @param findings of `detect`, at most one per incident
 * @param now epoch ms; may repeat, never falls
 */
export function keepEpisodes(known: readonly Episode[], findings: readonly Finding[], now: number): EpisodeStep {
  const step = {
    opened: [] as Episode[],
    worsened: [] as Episode[],
    reopened: [] as Episode[],
    resolved: [] as Episode[],
  };
  const kept = known.filter(
    ({ lastAt, resolvedAt }) => resolvedAt === null || now - lastAt < REMEMBERED_HOURS * HOUR_MS,
  );
  for (const finding of findings) {
    const home = kept.findIndex((episode) => belongsTo(finding, episode) && isNear(finding, episode));
    const episode = kept[home];
    if (!episode) {
      const opened = open(finding);
      kept.push(opened);
      step.opened.push(opened);
      continue;
    }
    const next = goOn(episode, finding);
    kept[home] = next;
    if (episode.resolvedAt !== null) step.reopened.push(next);
    if (next.finding !== episode.finding) step.worsened.push(next);
  }
  kept.forEach((episode, index) => {
    if (episode.resolvedAt !== null || now - episode.lastAt < CALM_HOURS * HOUR_MS) return;
    const resolved = { ...episode, resolvedAt: now };
    kept[index] = resolved;
    step.resolved.push(resolved);
  });
  return { ...step, episodes: kept };
}

function open(finding: Finding): Episode {
  const { type, scope, name, severity, at, covers } = finding;
  const key = `${type.toLowerCase()}/${scopeKey(scope)}/${new Date(at).toISOString().slice(0, 13)}`;
  const lastAt = at + HOUR_MS;
  return {
    key,
    type,
    scope,
    name,
    severity,
    covers,
    openedAt: at,
    lastAt,
    resolvedAt: null,
    opening: finding,
    finding: finding,
    alertedAt: [at],
    latest: finding,
  };
}

function goOn(episode: Episode, finding: Finding): Episode {
  const own = scopeKey(finding.scope);
  const covers = [...new Set([...episode.covers, own, ...finding.covers])].filter(
    (key) => key !== scopeKey(episode.scope),
  );
  return {
    ...episode,
    severity: RANKS[finding.severity] > RANKS[episode.severity] ? finding.severity : episode.severity,
    ...(isWorse(finding, episode) ? { finding: finding, alertedAt: [...episode.alertedAt, finding.at] } : {}),
    lastAt: Math.max(episode.lastAt, finding.at + HOUR_MS),
    resolvedAt: null,
    latest: finding,
    covers: covers.slice(0, COVERS_MAX),
  };
}

/** A higher severity, or several times the money. */
function isWorse(finding: Finding, { severity, finding: found }: Episode): boolean {
  if (RANKS[finding.severity] > RANKS[severity]) return true;
  return found.excessNano > 0 && finding.excessNano >= WORSE_FACTOR * found.excessNano;
}

/** The same scope, a part that the episode has covered, or a whole that the episode's part has moved. */
function belongsTo(finding: Finding, episode: Episode): boolean {
  if (!canAbsorb(episode.opening, finding)) return false;
  const [own, its] = [scopeKey(finding.scope), scopeKey(episode.scope)];
  return own === its || episode.covers.includes(own) || finding.covers.includes(its);
}

/** True if it continues, ended recently, or the finding is about its hours. */
function isNear({ at, from }: Finding, { lastAt, resolvedAt }: Episode): boolean {
  return resolvedAt === null || at - lastAt < COOLDOWN_HOURS * HOUR_MS || from < lastAt;
}
