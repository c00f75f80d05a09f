import { TollbookError } from '../../domain/errors.ts';
import { backtestSentence, episodeView } from '../../domain/alerts/finding-view.ts';
import { iso, readPeriod } from '../../domain/time/period.ts';
import { keyNames } from '../alerts/alert-view.ts';
import { type BacktestShape, backtestReport } from '../../contract/anomalies.ts';
import { periodQuery } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { withNamedKeys, detectionSettingsView } from './anomaly-view.ts';

const DAY_MS = 86_400_000;
/** What is gone through in one request. */
const BACKTEST_DAYS_MAX = 92;
/** Episodes in one answer; a period with more is too noisy to read. */
const EPISODES_MAX = 1_000;

export const backtestAnomalies = endpoint({
  method: 'GET',
  path: '/api/mcp/anomalies/backtest',
  summary: 'What would have been found in a time that is over, by what was known then',
  description: `At most ${BACKTEST_DAYS_MAX} days, with the workspace's present settings. Mutes are no part of it.`,
  scope: 'usage:read',
  right: 'read',
  query: periodQuery,
  answer: backtestReport,
  async handle({ caller: { workspaceId }, query }, { clock, detector, records }) {
    const now = clock();
    const asked = readPeriod(query.startDate, query.endDate, now);
    const [from, to] = [asked.start, Math.min(asked.end, now)];
    if (to - from > BACKTEST_DAYS_MAX * DAY_MS)
      throw new TollbookError('invalid', `A backtest goes through ${BACKTEST_DAYS_MAX} days at most.`, 'startDate');
    const { episodes: found, first } = await detector.replay(workspaceId, { from, to: Math.max(from, to) });
    const names = await keyNames(workspaceId, records);
    const episodes = found.toSorted((a, b) => a.openedAt - b.openedAt).slice(0, EPISODES_MAX);
    return {
      period: { start: iso(from), end: iso(Math.max(from, to)) },
      settings: detectionSettingsView(await records.detection.settings(workspaceId)),
      message: backtestSentence(found.length, { start: from, end: Math.max(from, to) }, first),
      episodes: episodes.map((episode) => namedEpisode(episodeView(episode), names)),
    };
  },
});

function namedEpisode(episode: BacktestShape['episodes'][number], names: ReadonlyMap<string, string>) {
  return { ...episode, opening: withNamedKeys(episode.opening, names) };
}
