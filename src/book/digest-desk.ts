import type { Digests, Services } from '../api/services.ts';
import { plansOf, sessionUsage, sumSessions } from '../api/usage/session-usage.ts';
import type { Notice } from '../destinations/destination.ts';
import { digestNotice } from '../digests/digest-notice.ts';
import { type DigestParts, weeklyDigest } from '../digests/weekly-digest.ts';
import type { Clock } from '../lib/clock.ts';
import type { SessionStore } from '../storage/store.ts';

interface DigestDeskParts extends Pick<Services, 'reports' | 'records' | 'standings'> {
  readonly sessions: Pick<SessionStore, 'sums'>;
  readonly clock: Clock;
  readonly baseUrl: string;
}

/** Adds up weeks, with local sessions as the summary counts them. */
export function digestDesk({ sessions, clock, baseUrl, ...parts }: DigestDeskParts): Digests {
  const all: DigestParts = {
    ...parts,
    async localCost(workspaceId, period) {
      const plans = await plansOf(parts.records, workspaceId);
      return sumSessions((await sessionUsage(sessions, workspaceId, plans, period)).owed).cost;
    },
  };
  return {
    async preview(workspaceId): Promise<Notice> {
      const now = clock();
      return digestNotice(await weeklyDigest(all, workspaceId, now), baseUrl, now);
    },
  };
}
