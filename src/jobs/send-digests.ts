import type { WebhookNotice } from '../notifications/destinations/destination.ts';
import { digestWeek } from '../notifications/digests/weekly-digest.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Records } from '../storage/records/records.ts';
import { claimedJob } from './claimed-job.ts';
import { forEachWorkspace, type Job } from './schedule.ts';
import type { Workspace } from '../storage/records/workspaces.ts';
import type { Webhook } from '../storage/records/webhooks.ts';
import { HOUR_MS } from '../domain/time/units.ts';

const NAME = 'send_digests';
const EVERY_MS = 10 * 60_000;
/** Maximum delay of a digest, for a service that was down on Monday morning. */
const LATE_MS_MAX = 12 * HOUR_MS;

export interface SendDigestParts {
  /** Returns the digest of the last complete week. */
  readonly digests: { preview(workspaceId: string): Promise<WebhookNotice> };
  readonly records: Pick<Records, 'workspaces' | 'webhooks' | 'deliveries' | 'jobs'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly runner: string;
  /** Called when a digest was queued. */
  readonly queued: () => void;
}

/** Queues the digest of the last week on Monday morning of each workspace, for the webhooks that receive it. */
export function sendDigestsJob(parts: SendDigestParts): Job {
  /** Monday of the last queued week by workspace, so that each week is summed once. */
  const done = new Map<string, string>();
  return claimedJob(parts, {
    name: NAME,
    everyMs: EVERY_MS,
    run: (signal) =>
      forEachWorkspace(parts, NAME, signal, async (workspace) => {
        const { sentAt, monday } = digestWeek(parts.clock(), workspace.timeZone);
        if (done.get(workspace.id) === monday || parts.clock() < sentAt) return;
        await sendTo(parts, workspace, sentAt);
        done.set(workspace.id, monday);
      }),
  });
}

async function sendTo(parts: SendDigestParts, { id: workspaceId }: Workspace, sentAt: number): Promise<void> {
  const { records, digests, clock, queued } = parts;
  const now = clock();
  if (now - sentAt > LATE_MS_MAX) return;
  const wanting = (await records.webhooks.list(workspaceId)).filter((webhook) => wants(webhook, sentAt));
  if (wanting.length === 0) return;
  const notice = await digests.preview(workspaceId);
  // Queued once per webhook, by any process.
  for (const { id: webhookId } of wanting)
    await records.deliveries.queue({
      workspaceId,
      webhookId,
      messageId: notice.id,
      kind: 'digest',
      content: { ...notice },
    });
  queued();
}

function wants({ digest, enabled, createdAt }: Webhook, sentAt: number): boolean {
  return digest === 'weekly' && enabled && createdAt < sentAt;
}
