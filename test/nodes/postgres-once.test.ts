import { expect, test } from 'vitest';
import type { WebhookNotice } from '../../src/notifications/destinations/destination.ts';
import { holdConnection } from '../../src/jobs/claimed-job.ts';
import { sendDigestsJob } from '../../src/jobs/send-digests.ts';
import { silentLog } from '../../src/lib/log.ts';
import { DEFAULT_WORKSPACE } from '../../src/storage/records/context.ts';
import type { NewUser } from '../../src/storage/records/users.ts';
import { temporaryDatabase } from '../support/postgres.ts';
import { openPostgresNode, type PostgresNode } from './postgres-node.ts';

const MONDAY = Date.parse('2026-03-16T09:00:00.000Z');
const OWNER = { actor: 'owner', role: 'owner' } as const;
const never = new AbortController().signal;

async function openThree(): Promise<PostgresNode[]> {
  const url = await temporaryDatabase();
  return await Promise.all([1, 2, 3].map(() => openPostgresNode(url)));
}

function person(number: number): NewUser {
  return { name: `Person ${number}`, email: `p${number}@example.com`, passwordHash: 'hash' };
}

/** Runs work on all nodes at once. Returns the results of those that succeed. */
async function onAll<Result>(
  nodes: readonly PostgresNode[],
  work: (node: PostgresNode, number: number) => Promise<Result>,
): Promise<Result[]> {
  const results = await Promise.allSettled(nodes.map(work));
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

test('a claim link that is used on several nodes at once makes one owner', async () => {
  const nodes = await openThree();
  const [one] = nodes;
  const code = (await one?.records.users.offerClaim('system')) ?? '';
  expect(await onAll(nodes, ({ records }, number) => records.users.claim(code, person(number)))).toHaveLength(1);
  expect(await one?.records.users.list()).toHaveLength(1);
  expect(await one?.records.audit.verify()).toMatchObject({ ok: true });
});

test('an invitation that is accepted on several nodes at once makes one member', async () => {
  const nodes = await openThree();
  const [one] = nodes;
  const input = { workspaceId: DEFAULT_WORKSPACE, role: 'member', email: null, expiresAt: MONDAY * 2 } as const;
  const made = await one?.records.invitations.create(input, OWNER);
  const code = made?.code ?? '';
  expect(await onAll(nodes, ({ records }, number) => records.invitations.accept(code, person(number)))).toHaveLength(1);
  expect(await one?.records.users.list()).toHaveLength(1);
});

test('an alert that several nodes raise at once is stored and delivered once', async () => {
  const nodes = await openThree();
  const [one] = nodes;
  await one?.records.webhooks.create({ ...HOOK, digest: 'off' }, 'owner');
  const alert = { ...ALERT, createdAt: MONDAY };
  const raised = await onAll(nodes, ({ records }) => records.alerts.raise(alert));
  expect(raised.filter((stored) => stored !== null)).toHaveLength(1);
  expect(await one?.records.deliveries.waiting()).toBe(1);
});

test('the digest of a week is queued once for each webhook', async () => {
  const nodes = await openThree();
  const [one] = nodes;
  await one?.records.webhooks.create({ ...HOOK, digest: 'weekly' }, 'owner');
  let previews = 0;
  const digests = {
    preview: async () => {
      previews += 1;
      return { id: 'digest_2026-03-09', kind: 'digest' } as WebhookNotice;
    },
  };
  for (let turn = 0; turn < 3; turn += 1)
    await onAll(nodes, async ({ records }, number) => {
      const parts = {
        records,
        digests,
        clock: () => MONDAY + turn * 600_000,
        log: silentLog,
        runner: `n${number}/run`,
      };
      await sendDigestsJob({ ...parts, queued: () => {} }).run(never);
    });
  expect(previews).toBeGreaterThan(0);
  expect(await one?.records.deliveries.waiting()).toBe(1);
});

test('the reports of an organization are read by one node at a time', async () => {
  const nodes = await openThree();
  const running = { now: 0, most: 0, total: 0 };
  const read = async (): Promise<void> => {
    running.now += 1;
    running.total += 1;
    running.most = Math.max(running.most, running.now);
    await new Promise((resolve) => setImmediate(resolve));
    running.now -= 1;
  };
  for (let turn = 0; turn < 5; turn += 1)
    await onAll(nodes, async ({ records }, number) => {
      const parts = { records, clock: () => MONDAY, runner: `n${number}/run` };
      await holdConnection(parts, 'sync_reports', 'ak_1', never, read);
    });
  expect(running).toMatchObject({ now: 0, most: 1 });
  expect(running.total).toBeGreaterThanOrEqual(5);
});

const HOOK = {
  workspaceId: DEFAULT_WORKSPACE,
  name: 'a',
  url: 'https://a.test/',
  type: 'CUSTOM',
  events: ['BUDGET_WARNING'],
  secret: null,
} as const;

const ALERT = {
  type: 'BUDGET_WARNING',
  severity: 'warning',
  workspaceId: DEFAULT_WORKSPACE,
  title: 'Half',
  message: 'Half of it is used.',
  episode: 'e1',
  scope: {},
  value: null,
  threshold: null,
  period: null,
  evidence: {},
} as const;
