import { describeLimit, describeValue } from '../../domain/text/limit.ts';
import type { CounterStatus } from '../../domain/limits/limit.ts';
import { formatUsd, usdFromNano } from '../../domain/money/money.ts';
import { toIso } from '../../domain/time/period.ts';
import type { Fact, Notice } from '../destinations/destination.ts';
import { type Change, part, type WeeklyDigest } from './weekly-digest.ts';

const NAME_CHARS_MAX = 60;

/** A digest as it is sent and shown. */
export function digestNotice(digest: WeeklyDigest, baseUrl: string, at: number): Notice {
  const { workspace, monday } = digest;
  const id = digestId(digest);
  return {
    id,
    kind: 'digest',
    type: 'WEEKLY_DIGEST',
    severity: 'info',
    title: `Week of ${monday}`,
    message: messageOf(digest),
    at,
    episode: id,
    workspace: workspace.name,
    facts: factsOf(digest),
    link: baseUrl,
    data: dataOf(digest),
  };
}

/** The same for every webhook and attempt, and another one each week. */
function digestId({ workspace, monday }: Pick<WeeklyDigest, 'workspace' | 'monday'>): string {
  return `digest_${workspace.id}_${monday}`;
}

function messageOf({ cost, costBefore, calls, near }: WeeklyDigest): string {
  const spent = `${formatUsd(cost)} in ${counted(calls, 'call')}`;
  const full = near === null ? 0 : near.length;
  const limits = full === 0 ? '' : ` ${counted(full, 'limit')} near the amount.`;
  return `${spent}; ${changeText(cost, costBefore)}.${limits}`;
}

function changeText(cost: bigint, before: bigint): string {
  if (before === 0n) return cost === 0n ? 'nothing the week before either' : 'nothing the week before';
  const percent = Math.round((Number(cost - before) / Number(before)) * 100);
  const than = `the week before (${formatUsd(before)})`;
  return percent === 0
    ? `about as much as ${than}`
    : `${Math.abs(percent)} % ${percent > 0 ? 'more' : 'less'} than ${than}`;
}

function factsOf(digest: WeeklyDigest): Fact[] {
  const { keys, models, tags, near, keyNames, alerts, anomalies, uncertainCalls, unpricedCalls } = digest;
  const told = [...alerts].map(([type, number]) => `${number} ${type}`).join(', ');
  return [
    ...changes('Keys', keys, keyNames),
    ...changes('Models', models),
    ...changes('Tags', tags),
    ...(near ?? []).map((standing) => ({ name: 'Limit', value: nearText(standing, keyNames) })),
    ...(near === null ? [{ name: 'Limits', value: 'how they stand could not be asked' }] : []),
    { name: 'Alerts', value: told === '' ? 'none' : told },
    { name: 'Anomalies', value: String(anomalies) },
    ...(uncertainCalls > 0 ? [{ name: 'Uncertain', value: counted(uncertainCalls, 'call') }] : []),
    ...(unpricedCalls > 0 ? [{ name: 'Without a price', value: counted(unpricedCalls, 'call') }] : []),
  ];
}

function changes(name: string, all: readonly Change[], names: ReadonlyMap<string, string> = new Map()): Fact[] {
  if (all.length === 0) return [];
  return [{ name, value: all.map((change) => changed(change, names.get(change.name) ?? change.name)).join('; ') }];
}

/** `"ci" +$12.30 to $16.40` */
function changed({ cost, before }: Change, name: string): string {
  const move = cost >= before ? `+${formatUsd(cost - before)}` : `-${formatUsd(before - cost)}`;
  return `${name.slice(0, NAME_CHARS_MAX)} ${move} to ${formatUsd(cost)}`;
}

function nearText(standing: CounterStatus, keyNames: ReadonlyMap<string, string>): string {
  const { limit, value } = standing;
  const which = describeValue(limit, value.slice(0, NAME_CHARS_MAX));
  const name = describeLimit(limit, (id) => keyNames.get(id) ?? id) + (which === '' ? '' : ` (${which})`);
  return `${name}: ${Math.floor(part(standing) * 100)} % used`;
}

function dataOf(digest: WeeklyDigest): Record<string, unknown> {
  const { workspace, week, cost, costBefore, calls, uncertainCalls, unpricedCalls, alerts, anomalies } = digest;
  const shown = (all: readonly Change[]) =>
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
      part: part(standing),
    })),
    alerts: Object.fromEntries(alerts),
    anomalies,
  };
}

function counted(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}
