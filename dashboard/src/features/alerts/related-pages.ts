import type { AlertShape } from '../../../../src/contract/alerts.ts';
import { localDay } from '../../shared/time/local-day.ts';

interface RelatedPage {
  readonly name: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

/** Returns pages related to an alert, most specific first. @param zone time zone of its days */
export function findRelatedPages(
  { type, scope, period, evidence, createdAt }: AlertShape,
  zone: string,
): readonly RelatedPage[] {
  const { limit, key, webhook, adminKey } = scope;
  const { callId, reason } = evidence;
  const found: RelatedPage[] = [];
  if (limit !== undefined) found.push({ name: 'View limit', to: `/limits/${limit}` });
  if (webhook !== undefined) found.push({ name: 'View webhook', to: `/webhooks/${webhook}` });
  if (adminKey !== undefined) found.push({ name: 'View connection', to: '/reports' });
  if (type === 'UNPRICED_MODEL' || type === 'STALE_PRICE') found.push({ name: 'View prices', to: '/prices' });
  if (typeof callId === 'string') found.push({ name: 'View call', to: `/calls/${callId}` });
  if (key !== undefined) found.push({ name: 'View key', to: `/keys/${key}` });
  if (limit !== undefined && typeof reason === 'string')
    found.push({
      name: 'View refused calls',
      to: '/calls',
      search: { only: 'refused', ...(key !== undefined && { key }) },
    });
  const filter = alertFilter(scope);
  if (Object.keys(filter).length === 0 && !TYPES_ABOUT_CALLS.has(type)) return found;
  const days = alertDays(period, createdAt, zone);
  found.push({ name: 'View calls of that time', to: '/calls', search: { ...filter, ...days } });
  found.push({ name: 'Explore cost', to: '/explore', search: filter });
  return found;
}

export const TYPES_ABOUT_CALLS: ReadonlySet<string> = new Set(['COST_SPIKE', 'UNUSUAL_ACTIVITY', 'ERROR_SPIKE']);

/** Returns the filter of the calls that an alert is about. */
export function alertFilter(scope: AlertShape['scope']): Readonly<Record<string, string>> {
  const { key, provider, model } = scope;
  return {
    ...(key !== undefined && { key }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...tagFilter(scope),
  };
}

function tagFilter(scope: AlertShape['scope']): { readonly tag?: string } {
  const tag = Object.entries(scope).find(([name]) => name.startsWith('tag:'));
  return tag ? { tag: `${tag[0].slice('tag:'.length)}=${tag[1]}` } : {};
}

function alertDays(period: AlertShape['period'], createdAt: string, zone: string): { from: string; to: string } {
  const start = Date.parse(period?.start ?? createdAt);
  const end = Date.parse(period?.end ?? createdAt);
  // Half-open: a period until midnight ends on the day before.
  return { from: localDay(start, zone), to: localDay(Math.max(start, end - 1), zone) };
}
