import { expect, test } from 'vitest';
import { entryOf, FIRST_DAY, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { emptyDatabase } from '../../../test/support/empty-database.ts';
import { NEXT_PARENT } from './agent-parents.ts';
import { ROLLUPS } from './rollups.ts';
import { SQLITE_DIALECT } from '../sqlite/sqlite-dialect.ts';
import { openSqliteStore } from '../sqlite/sqlite-store.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';

const db = emptyDatabase();
const store = openSqliteStore(db);

function count(table: string): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']);
}

test('similar calls share one row per hour and one per day in every roll-up, in one batch or in many', async () => {
  const times = [0, 1, HOUR_MS, DAY_MS].map((offset) => FIRST_DAY + offset);
  const entries = times.map((startedAt, index) => entryOf(`call_${index}`, { startedAt }));
  await store.entries.append({ journalId: 'journal', mark: 3, entries: entries.slice(0, 3) });
  await store.entries.append({ journalId: 'journal', mark: 4, entries: entries.slice(3) });
  for (const { name } of ROLLUPS) expect([count(`${name}_hour`), count(`${name}_day`)]).toEqual([3, 2]);
});

test('after pruning no detail table has anything of an entry', async () => {
  const correction = {
    costBefore: 1_000,
    costAfter: null,
    provenance: { from: 'price', versions: ['v2'] } as const,
    reason: 'price withdrawn',
  };
  const about = { adjustmentId: 'adj', callId: 'call_0', workspaceId: 'ws_default', recordedAt: FIRST_DAY };
  await store.entries.adjust([{ ...about, ...correction }]);
  expect(['entries', 'adjustments', 'unpriced'].map(count)).toEqual([4, 1, 1]);
  await store.entries.prune('ws_default', WHOLE.end, 10);
  expect(['entries', 'adjustments', 'unpriced'].map(count)).toEqual([0, 0, 0]);
});

test('no usage query reads all entries or all of a roll-up', () => {
  const sources = ['entry_measures', ...ROLLUPS.flatMap(({ name }) => [`${name}_hour`, `${name}_day`])];
  for (const source of sources) {
    const tag = source.startsWith('tag') ? 'AND tag_key = 1' : '';
    const sql = `SELECT sum(cost) FROM ${source} WHERE workspace = 1 AND start >= 1 AND start < 2 ${tag}`;
    const plan = db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail));
    expect(plan.filter((step) => /^SCAN (?!entry_measures)/.test(step))).toEqual([]);
    expect(plan.some((step) => /(start|started_at)>\? AND (start|started_at)<\?/.test(step))).toBe(true);
  }
});

test('a session is read through its own index', () => {
  const ofSession = `session = 'x' AND session_key = 'x'`;
  const sql = `SELECT agent, sum(cost) FROM entry_measures WHERE workspace = 1 AND start >= 1 AND start < 2 AND ${ofSession} GROUP BY 1`;
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  expect(plan.map(({ detail }) => String(detail)).join('\n')).toContain('entries USING INDEX entries_session (');
});

test('the next parent of an agent is read from its own index', () => {
  const plan = db
    .prepare(`EXPLAIN QUERY PLAN ${NEXT_PARENT(SQLITE_DIALECT)}`)
    .all(Object.fromEntries(['workspace', 'key', 'session', 'agent', 'after'].map((name) => [name, null])));
  const steps = plan.map(({ detail }) => String(detail));
  expect(steps).toHaveLength(1);
  expect(steps[0]).toMatch(
    /USING INDEX entries_agent \(workspace=\? AND key=\? AND <expr>=\? AND agent=\? AND parent_agent>\?\)/,
  );
});
