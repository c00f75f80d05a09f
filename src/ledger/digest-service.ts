import type { DigestService } from '../api/webhooks.ts';
import type { Services } from '../api/services.ts';
import { readReportContext, readUnproxiedReports } from '../api/usage/reported-usage.ts';
import { readPlanContext, sessionUsage } from '../api/usage/session-usage.ts';
import type { WebhookNotice } from '../notifications/destinations/destination.ts';
import { digestNotice } from '../notifications/digests/digest-notice.ts';
import { type DigestParts, buildWeeklyDigest } from '../notifications/digests/weekly-digest.ts';
import type { Clock } from '../lib/clock.ts';
import type { SessionStore } from '../storage/session-store.ts';

interface DigestServiceParts extends Pick<
  Services,
  'reports' | 'records' | 'standings' | 'unproxiedUsage' | 'pricingOf'
> {
  readonly providerReports: Pick<Services['providerReports'], 'readTime'>;
  readonly sessions: Pick<SessionStore, 'sums'>;
  readonly clock: Clock;
  readonly baseUrl: string;
}

/** Creates weekly digests, with unproxied cost as in the summary. */
export function createDigestService(options: DigestServiceParts): DigestService {
  const { sessions, unproxiedUsage, clock, baseUrl, ...parts } = options;
  const all: DigestParts = {
    ...parts,
    async unproxiedCost(workspaceId, period) {
      const plans = await readPlanContext(parts.records, workspaceId);
      const context = await readReportContext(parts, workspaceId);
      const rest = await readUnproxiedReports(unproxiedUsage, workspaceId, period, context);
      const { owed } = await sessionUsage(sessions, workspaceId, plans, period, context, rest.open);
      return [...owed, ...rest.owed].reduce((sum, { totals }) => sum + totals.cost, 0n);
    },
  };
  return {
    async preview(workspaceId): Promise<WebhookNotice> {
      const now = clock();
      return digestNotice(await buildWeeklyDigest(all, workspaceId, now), baseUrl, now);
    },
  };
}
