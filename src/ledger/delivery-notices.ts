import { alertView, keyNamesIn } from '../api/alerts.ts';
import { TollbookError } from '../domain/errors.ts';
import { LIMIT_UNITS } from '../domain/limits/limit.ts';
import type { NoticeFact, WebhookNotice } from '../notifications/destinations/destination.ts';
import { newId } from '../lib/crypto/id.ts';
import type { Delivery } from '../storage/records/delivery-records.ts';
import type { Records } from '../storage/records/records.ts';
import type { Workspace } from '../storage/records/workspaces.ts';
import type { Webhook } from '../storage/records/webhooks.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';
import { formatAmount } from '../domain/text/limits.ts';
import { describeRefusalReason } from '../domain/text/refusals.ts';
import { formatDateTime } from '../domain/text/dates.ts';
import { formatPercent } from '../domain/text/percent.ts';
import { formatCount } from '../domain/text/counts.ts';

/** Scopes that the message already describes. */
const SCOPES_IN_MESSAGE = new Set(['limit', 'webhook']);

/** Builds the content of a delivery, in its workspace's time zone; null = the alert was deleted. */
export async function buildNotice(
  { workspaceId, alertId, content, kind, messageId }: Delivery,
  records: Pick<Records, 'alerts' | 'keys' | 'workspaces'>,
  baseUrl: string,
): Promise<WebhookNotice | null> {
  // Queued as it is to be sent.
  if (content !== null) return content as unknown as WebhookNotice;
  const alert = await findAlert(records, workspaceId, alertId ?? '');
  if (!alert) return null;
  const workspace = await records.workspaces.get(workspaceId);
  const names = await keyNamesIn([alert], records);
  const view = alertView(alert, names);
  const resolved = kind === 'resolved';
  return {
    id: messageId,
    kind: resolved ? 'resolved' : 'alert',
    type: alert.type,
    severity: alert.severity,
    title: resolved ? `Over: ${view.title}` : view.title,
    message: view.message,
    at: resolved ? (alert.resolvedAt ?? alert.createdAt) : alert.createdAt,
    episode: alert.id,
    workspace: workspace.name,
    facts: alertFacts(alert, workspace, names),
    link: `${baseUrl}/alerts/${alert.id}`,
    data: { workspace: { id: workspace.id, name: workspace.name }, ...view },
  };
}

async function findAlert(
  { alerts }: Pick<Records, 'alerts'>,
  workspaceId: string,
  id: string,
): Promise<StoredAlert | null> {
  try {
    return await alerts.get(workspaceId, id);
  } catch (error) {
    if (error instanceof TollbookError && error.type === 'not_found') return null;
    throw error;
  }
}

function alertFacts(alert: StoredAlert, { timeZone }: Workspace, keyNames: ReadonlyMap<string, string>): NoticeFact[] {
  const { value, threshold, period, createdAt, resolvedAt, evidence } = alert;
  const { unit, baseline } = evidence;
  const amount = (shown: number): string => amountText(unit, shown);
  const time = (at: number): string => formatDateTime(at, timeZone);
  const scopes = Object.entries(alert.scope).filter(([name]) => !SCOPES_IN_MESSAGE.has(name));
  return [
    ...(value === null ? [] : [{ name: 'Seen', value: amount(value) }]),
    ...(typeof baseline === 'number' ? [{ name: 'Usual', value: amount(baseline) }] : []),
    ...(threshold === null ? [] : [{ name: 'Threshold', value: amount(threshold) }]),
    ...refusalNoticeFacts(evidence),
    ...scopes.map(([name, text]) => ({
      name: capital(name.replace(/^tag:/, 'tag ')),
      value: (keyNames.get(text) ?? text).slice(0, FACT_CHARS_MAX),
    })),
    ...(period === null ? [] : [{ name: 'From', value: time(period.start) }]),
    ...(period === null || !Number.isFinite(period.end) ? [] : [{ name: 'To', value: time(period.end) }]),
    { name: 'Raised', value: `${time(createdAt)} (${timeZone})` },
    ...(resolvedAt === null ? [] : [{ name: 'Over', value: time(resolvedAt) }]),
  ];
}

/** Facts of a limit that refuses calls. */
function refusalNoticeFacts({ unit, reason, needed, left }: StoredAlert['evidence']): NoticeFact[] {
  if (typeof reason !== 'string') return [];
  const amounts = { Needed: needed, Left: left };
  return [
    { name: 'Reason', value: describeRefusalReason(reason).slice(0, FACT_CHARS_MAX) },
    ...Object.entries(amounts).flatMap(([name, shown]) =>
      typeof shown === 'number' ? [{ name, value: amountText(unit, shown) }] : [],
    ),
  ];
}

const FACT_CHARS_MAX = 200;

function amountText(unit: unknown, shown: number): string {
  const known = LIMIT_UNITS.find((each) => each === unit);
  if (known) return formatAmount(known, shown);
  if (unit === 'share') return formatPercent(shown);
  if (unit === 'usd_per_million_tokens') return `${formatAmount('usd', shown)} per million tokens`;
  return formatCount(shown);
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Builds the test message of a webhook. */
export function buildTestNotice(webhook: Webhook, workspace: Workspace, baseUrl: string, at: number): WebhookNotice {
  const id = newId('test', () => at);
  return {
    id,
    kind: 'test',
    type: 'TEST',
    severity: 'info',
    title: 'A test of this webhook',
    message: `Tollbook reaches you here. This webhook gets: ${webhook.events.join(', ')}.`,
    at,
    episode: id,
    workspace: workspace.name,
    facts: [
      { name: 'Webhook', value: webhook.name },
      { name: 'Sent', value: `${formatDateTime(at, workspace.timeZone)} (${workspace.timeZone})` },
    ],
    link: baseUrl,
    data: { workspace: { id: workspace.id, name: workspace.name }, webhook: { id: webhook.id, name: webhook.name } },
  };
}
