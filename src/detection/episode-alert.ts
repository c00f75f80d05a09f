import type { Alert } from '../domain/alerts/alert.ts';
import type { Episode } from '../domain/anomaly/episodes.ts';
import { findingView } from '../domain/alerts/finding-view.ts';

/** Builds the alert of an episode that opened or became worse. */
export function episodeAlert(workspaceId: string, episode: Episode, now: number): Alert {
  const { finding: raised, alertedAt: tellings } = episode;
  const { baseline, factor, evidence, ...view } = findingView(raised);
  const alert: Alert = {
    ...view,
    evidence: { ...evidence, baseline, factor },
    workspaceId,
    episode: alertEpisode(episode, tellings.length),
    createdAt: now,
    period: { start: raised.from, end: raised.to },
  };
  return tellings.length === 1 ? alert : { ...alert, title: `Worse: ${alert.title}` };
}

/** Returns the episode keys of all alerts of an episode. */
export function alertEpisodes(episode: Episode): string[] {
  return episode.alertedAt.map((_, index) => alertEpisode(episode, index + 1));
}

function alertEpisode({ key }: Episode, telling: number): string {
  return telling === 1 ? key : `${key}/${telling}`;
}
