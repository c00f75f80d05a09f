import { afterEach, beforeEach, expect, test } from 'vitest';
import { runLine } from '../../test/run-line.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';

let it: TestLedger;

beforeEach(async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
});
afterEach(() => it.close());

async function status(line = 'status --no-color', columns = 80): Promise<string> {
  await it.ledger.close();
  const ran = await runLine(line, { env: it.env, clock: () => it.time.now, columns });
  expect([ran.code, ran.err]).toEqual([0, '']);
  return ran.out;
}

test('an empty ledger has a status that says what to do', async () => {
  const shown = await status();
  expect(shown).toMatch(/Today +\$0\.00, 0 calls/);
  expect(shown).toMatch(/Tightest limits\n {2}none: tollbook limits set --help/);
  expect(shown).toMatch(/Open alerts\n {2}none\n/);
  expect(shown).toMatch(/Prices: checked \d+ days? ago/);
});

test.each([80, 140])('the tightest limits come first, with a bar, within %i columns', async (columns) => {
  await it.ship([it.entry({ startedAt: it.time.now - 60_000 })]);
  for (const [amount, label] of Object.entries({ 100: 'wide', 2: `narrow-${'x'.repeat(60)}` }))
    await it.call('PUT /api/manage/limits', {
      body: {
        scope: { kind: 'workspace' },
        unit: 'calls',
        amount,
        window: amount === '2' ? 'day' : 'month',
        action: 'warn',
        label,
      },
    });
  const shown = await status('status --no-color', columns);
  expect(shown).toMatch(/Today +\$0\.\d+, 1 call\n/);
  expect(shown.indexOf('narrow')).toBeLessThan(shown.indexOf('wide'));
  expect(shown.indexOf('narrow')).toBeGreaterThan(0);
  expect(shown.split('\n').filter((line) => line.length > columns)).toEqual([]);
});

test('batches that could not be read are counted, with the command that lists them', async () => {
  const open = { operation: 'batches', uncertainReason: 'background', cost: null, usage: null } as const;
  await it.ship([it.entry({ ...open, callId: 'read' }), it.entry({ ...open, callId: 'unread' })]);
  const noted = { callId: 'unread', problem: 'Anthropic answered 404.', asks: 1, askedAt: it.time.now, dueAt: null };
  await it.ledger.records.callProblems.note('ws_default', noted);
  expect(await status()).toContain('1 batch or background response not read: tollbook limits resolve');
});
