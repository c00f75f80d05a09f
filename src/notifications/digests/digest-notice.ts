import type { CounterStatus } from '../../domain/limits/limit.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import { toIso } from '../../domain/time/period.ts';
import type { NoticeFact, WebhookNotice } from '../destinations/destination.ts';
import { type CostChange, usedShare, type WeeklyDigest } from './weekly-digest.ts';
import { describeLimit, describeValue } from '../../domain/text/limits.ts';
import { formatUsd } from '../../domain/text/money.ts';
import { countNoun } from '../../domain/text/counts.ts';

const NAME_CHARS_MAX = 60;

/** Builds the notice of a weekly digest. */
export function digestNotice(digest: WeeklyDigest, baseUrl: string, at: number): WebhookNotice {
  const { workspace, monday } = digest;
  const id = digestId(digest);
  return {
    id,
    kind: 'digest',
    type: 'WEEKLY_DIGEST',
    severity: 'info',
    title: `Week of ${monday}`,
    message: digestMessage(digest),
    at,
    episode: id,
    workspace: workspace.name,
    facts: digestFacts(digest),
    link: baseUrl,
    data: digestData(digest),
  };
}

/** Returns an id that is the same for every webhook and attempt and differs each week. */
function digestId({ workspace, monday }: Pick<WeeklyDigest, 'workspace' | 'monday'>): string {
  return `digest_${workspace.id}_${monday}`;
}

function digestMessage({ cost, costBefore, calls, near }: WeeklyDigest): string {
  const spent = `${formatUsd(cost)} in ${countNoun(calls, 'call')}`;
  const full = near === null ? 0 : near.length;
  const limits = full === 0 ? '' : ` ${countNoun(full, 'limit')} nearly used up.`;
  return `${spent}, ${changeText(cost, costBefore)}.${limits}`;
}

function changeText(cost: bigint, before: bigint): string {
  if (before === 0n) return cost === 0n ? 'as in the week before' : 'none in the week before';
  const percent = Math.round((Number(cost - before) / Number(before)) * 100);
  const than = `the week before (${formatUsd(before)})`;
  return percent === 0
    ? `about the same as ${than}`
    : `${Math.abs(percent)}% ${percent > 0 ? 'more' : 'less'} than ${than}`;
}

function digestFacts(digest: WeeklyDigest): NoticeFact[] {
  const { keys, models, tags, near, keyNames, alerts, anomalies, uncertainCalls, unpricedCalls } = digest;
  const raised = [...alerts].map(([type, number]) => `${number} ${type}`).join(', ');
  return [
    ...changeFacts('Keys', keys, keyNames),
    ...changeFacts('Models', models),
    ...changeFacts('Tags', tags),
    ...(near ?? []).map((standing) => ({ name: 'Limit', value: nearText(standing, keyNames) })),
    ...(near === null ? [{ name: 'Limits', value: 'currently unavailable' }] : []),
    { name: 'Alerts', value: raised === '' ? 'none' : raised },
    { name: 'Anomalies', value: String(anomalies) },
    ...(uncertainCalls > 0 ? [{ name: 'Uncertain', value: countNoun(uncertainCalls, 'call') }] : []),
    ...(unpricedCalls > 0 ? [{ name: 'Without a price', value: countNoun(unpricedCalls, 'call') }] : []),
  ];
}

function changeFacts(
  name: string,
  all: readonly CostChange[],
  names: ReadonlyMap<string, string> = new Map(),
): NoticeFact[] {
  if (all.length === 0) return [];
  return [{ name, value: all.map((change) => changeLine(change, names.get(change.name) ?? change.name)).join('; ') }];
}

/** Formats a change as `"ci" +$12.30 to $16.40`. */
function changeLine({ cost, before }: CostChange, name: string): string {
  const move = cost >= before ? `+${formatUsd(cost - before)}` : `-${formatUsd(before - cost)}`;
  return `${name.slice(0, NAME_CHARS_MAX)} ${move} to ${formatUsd(cost)}`;
}

function nearText(standing: CounterStatus, keyNames: ReadonlyMap<string, string>): string {
  const { limit, value } = standing;
  const which = describeValue(limit, value).slice(0, NAME_CHARS_MAX);
  const name = describeLimit(limit, (id) => keyNames.get(id) ?? id) + (which === '' ? '' : ` (${which})`);
  return `${name}: ${Math.floor(usedShare(standing) * 100)}% used`;
}

function digestData(digest: WeeklyDigest): Record<string, unknown> {
  const { workspace, week, cost, costBefore, calls, uncertainCalls, unpricedCalls, alerts, anomalies } = digest;
  const shown = (all: readonly CostChange[]) =>
    all.map(({ name, ...amounts }) => ({
      name,
      costUsd: usdFromNano(amounts.cost),
      beforeUsd: usdFromNano(amounts.before),
    }));
  return {
    workspace: { id: workspace.id, name: workspace.name },
    period: { start: toIso(week.start), end: toIso(week.end) },
    costUsd: usdFromNano(cost),
    costBeforeUsd: usdFromNano(costBefore),
    calls,
    uncertainCalls,
    unpricedCalls,
    keys: shown(digest.keys),
    models: shown(digest.models),
    tags: shown(digest.tags),
    limits: (digest.near ?? []).map((standing) => ({
      id: standing.limit.id,
      value: standing.value,
      part: usedShare(standing),
    })),
    alerts: Object.fromEntries(alerts),
    anomalies,
  };
}
