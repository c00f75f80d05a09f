import type { Alert } from '../core/alert.ts';
import type { Episode } from '../core/anomaly/episodes.ts';
import type { Finding } from '../core/anomaly/finding.ts';
import { findingView } from '../core/finding-view.ts';

/** An episode that opened, told once. */
export function openedAlert(workspaceId: string, { key, opening }: Episode, now: number): Alert {
  return alertOf(workspaceId, key, opening, now);
}

/** It became more severe since: told once more for each severity. */
export function worsenedAlert(workspaceId: string, episode: Episode, now: number): Alert {
  const { key, severity, latest } = episode;
  const alert = alertOf(workspaceId, worsenedKey(key, severity), latest, now);
  return { ...alert, severity, title: `Worse: ${alert.title}` };
}

/** Alerts that there may be of an episode. */
export function alertKeys({ key }: Episode): string[] {
  return [key, worsenedKey(key, 'warning'), worsenedKey(key, 'critical')];
}

function worsenedKey(key: string, severity: string): string {
  return `${key}/${severity}`;
}

function alertOf(workspaceId: string, episode: string, finding: Finding, now: number): Alert {
  const { from: start, to: end } = finding;
  return { ...findingView(finding), workspaceId, episode, createdAt: now, period: { start, end } };
}
