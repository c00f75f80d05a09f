import { expect, test } from 'vitest';
import { entryOf } from '../../test/support/arbitrary-entry.ts';
import { openMemoryStore } from '../../test/support/memory-store/memory-store.ts';
import { newLimit, openTemporaryRecords, TEST_NOW } from '../../test/support/temporary-records.ts';
import { DAY_MS } from '../domain/time/units.ts';
import { NO_CONTEXT } from '../domain/usage/call-context.ts';
import { pruneEntriesJob } from './prune.ts';

const WORKSPACE = 'ws_default';

/** A workspace that keeps its calls for a week, with calls of an agent 89 and 91 days ago. */
async function open() {
  const { records } = await openTemporaryRecords();
  await records.workspaces.update(WORKSPACE, { retentionDays: 7 }, 'owner');
  const store = openMemoryStore();
  const context = { ...NO_CONTEXT, agent: 'child', parentAgent: 'planner' };
  const entries = [89, 91].map((days) => entryOf(String(days), { context, startedAt: TEST_NOW - days * DAY_MS }));
  await store.entries.append({ journalId: 'j', mark: 1, entries });
  const job = pruneEntriesJob(records, store, () => TEST_NOW, 10);
  const kept = async (): Promise<string[]> => {
    await job.run(new AbortController().signal);
    const page = { range: { start: 0, end: TEST_NOW }, filter: {}, cursor: null, limit: 10 };
    return (await store.reports.entriesPage(WORKSPACE, page)).rows.map(({ entry }) => entry.callId);
  };
  return { records, store, kept };
}

test('parents of agents are known as long as counters of a limit on each agent are kept', async () => {
  const { records, store, kept } = await open();
  await records.limits.create(newLimit({ scope: { kind: 'each', of: 'agent', keyId: null } }), 'owner');
  expect(await kept()).toEqual(['89']);
  const { keyId } = entryOf('x');
  const question = { workspaceId: WORKSPACE, keyId, session: null, agents: ['child'], agentsMax: 9, parentsMax: 9 };
  expect(await store.counters.agentParents(question)).toContainEqual({ agent: 'child', parents: ['planner'] });
});

test('without such a limit, calls are kept for the retention of the workspace', async () => {
  const { records, kept } = await open();
  await records.limits.create(newLimit({ scope: { kind: 'each', of: 'session', keyId: null } }), 'owner');
  expect(await kept()).toEqual([]);
});
