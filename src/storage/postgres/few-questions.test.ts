import { expect, onTestFinished, test, vi } from 'vitest';
import { entryOf, FIRST_DAY } from '../../../test/support/arbitrary-entry.ts';
import { append, WORKSPACE } from '../../../test/support/filled-store.ts';
import { POSTGRES_TESTED } from '../../../test/support/postgres-server.ts';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { LEDGER_TEMPLATE } from '../../../test/support/temporary-records.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import { openEngine } from '../open.ts';
import { PostgresQuestions } from './postgres-questions.ts';

vi.setConfig({ testTimeout: 120_000 });

const DAYS = 30;

test.runIf(POSTGRES_TESTED)('a series asks the server as few questions for 720 hours as for one day', async () => {
  const databaseUrl = await temporaryDatabase(LEDGER_TEMPLATE);
  const { store, close } = await openEngine({ databaseUrl, file: '', synchronous: 'normal' });
  onTestFinished(close);
  const days = Array.from({ length: DAYS }, (_, day) => FIRST_DAY + day * DAY_MS);
  await append(
    store,
    days.map((day, index) => entryOf(`call_${index}`, { startedAt: day + HOUR_MS, tags: { team: 'a' } })),
    DAYS,
  );
  const questions = vi.spyOn(PostgresQuestions.prototype, 'answer');
  const countQuestions = async (hours: number): Promise<number> => {
    const range = { start: FIRST_DAY, end: FIRST_DAY + hours * HOUR_MS };
    const buckets = Array.from({ length: hours }, (_, hour) => FIRST_DAY + hour * HOUR_MS);
    questions.mockClear();
    await store.reports.series(WORKSPACE, { range, buckets, by: 'tag', tagKey: 'team', filter: {} });
    return questions.mock.calls.length;
  };
  // The first one reads names, too.
  await countQuestions(1);
  const ofDay = await countQuestions(24);
  expect(ofDay).toBeLessThan(10);
  // A question asks about 200 hours at most, once for tagged calls and once for all.
  expect(await countQuestions(DAYS * 24)).toBeLessThanOrEqual(ofDay + 6);
});
