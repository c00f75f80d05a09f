import { expect, test } from 'vitest';
import { runLine, wideLines } from '../../test/run-line.ts';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { ReportName } from '../domain/reconciliation/provider-report.ts';
import { newAdminKey } from '../../test/support/temporary-records.ts';
import { DAY_MS } from '../domain/time/units.ts';

const TODAY = NOW - (NOW % DAY_MS);

const NAMES = [
  { kind: 'key', id: 'apikey_1', name: 'Prod', hint: 'sk-ant-api03-R2D...igAA', project: null, status: 'active' },
] as const;

/** A book with what an organization reports of a day that is closed. */
async function openReported(
  models: readonly string[],
  { keys = [null], prepare }: { keys?: readonly (string | null)[]; prepare?: (it: TestLedger) => Promise<void> } = {},
) {
  const it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  const { id } = await it.ledger.records.adminKeys.create(newAdminKey({ name: 'main' }), 'owner');
  const window = { goal: 0, top: TODAY + DAY_MS, doneFrom: TODAY - 9 * DAY_MS, doneTo: TODAY + DAY_MS };
  const state = { ...window, revision: 0, cursor: null, readAt: NOW };
  const page = {
    connectionId: id,
    readAt: NOW,
    days: [],
    goesOn: false,
    names: [...NAMES, ...keys.flatMap(namesOf)],
    state,
  };
  const terms = { project: null, tier: 'standard', context: '0-200k', geo: 'global', speed: null, requests: null };
  const rows = keys.flatMap((key) => models.map((model) => ({ ...terms, key, model, amounts: { input: 1_000_000 } })));
  const days = [{ kind: 'usage' as const, day: TODAY - 5 * DAY_MS, rows }];
  await it.ledger.store.providerReports.keep({ ...page, report: 'messages', days });
  await it.ledger.store.providerReports.keep({ ...page, report: 'cost' });
  await prepare?.(it);
  await it.ledger.close();
  return it;
}

/** Keys whose hints fit none that was ever wrapped. */
function namesOf(id: string | null): ReportName[] {
  const name = { kind: 'key', hint: `sk-ant-api03-${id}...${id}`, project: null, status: 'active' } as const;
  return id === null || NAMES.some((one) => one.id === id) ? [] : [{ ...name, id, name: id }];
}

test('unproxied spend is shown with its key, its amount and its reason', async () => {
  const it = await openReported(['claude-sonnet-4-5']);
  const ran = await runLine('reconcile --from 2026-03-10 --to 2026-03-10', { env: it.env });
  expect(ran.out).toContain(
    `main (anthropic), 2026-03-10
0% went through the gateway: $0.00 of $3.00, as charged, before
2026-03-11.
Bill unknown, reported usage at list price $3.00, ledger $0.00.
The usage summary has $0.00 for these days: $0.00 through the gateway and
$0.00 outside it, at list or custom prices. From there to the provider’s
$3.00:
  outside the gateway, as charged                        $3.00

Outside the gateway            $3.00
    (no key)                   $3.00
  Outside the gateway. Give these users a wrapped key (tollbook keys create)
  and replace the provider key.
Unexplained                    $0.00`,
  );
  expect(ran.out).toMatch(
    /2026-03-10 +\(no key\) +claude-sonnet-4-5 +\$0\.00 +\$3\.00 +\$3\.00\n +\$3\.00 Outside the gateway/,
  );
  expect(wideLines(ran)).toEqual([]);
  await it.close();
});

test('in a pipe every line is complete, at the width of COLUMNS if that is set', async () => {
  const dated = (index: number) => `claude-sonnet-4-5-of-a-name-that-a-terminal-has-no-room-for-${index}`;
  const it = await openReported(Array.from({ length: 25 }, (_, index) => dated(index)));
  const line = 'reconcile --from 2026-03-10 --to 2026-03-10';
  const whole = await runLine(line, { env: it.env, columns: null });
  for (let index = 0; index < 25; index += 1) expect(whole.out).toContain(`${dated(index)} `);
  expect(whole.out).not.toMatch(/…|more lines/);
  const narrow = await runLine(line, { env: { ...it.env, COLUMNS: '80' }, columns: null });
  const lines = narrow.out.split('\n').filter((text) => text.startsWith('2026-03-10  '));
  expect(lines).toHaveLength(25);
  for (const text of lines) expect(text.length).toBeLessThanOrEqual(80);
  expect((await runLine(line, { env: it.env })).out).toContain('5 more lines');
  await it.close();
});

test('a provider key is shown with its wrapped keys, in its reason and on its line', async () => {
  const it = await openReported(['claude-sonnet-4-5'], {
    keys: ['apikey_1'],
    async prepare({ ledger: book, time }) {
      time.now = TODAY - 20 * DAY_MS;
      const source = { providerKey: 'sk-ant-api03-R2D-never-shown-0123456789-igAA' };
      for (const name of ['web', 'batch'])
        await book.records.keys.create(
          { workspaceId: 'ws_default', name, provider: 'anthropic', tags: {}, expiresAt: null, source },
          'owner',
        );
      time.now = NOW;
    },
  });
  const ran = await runLine('reconcile --from 2026-03-10 --to 2026-03-10', { env: it.env });
  expect(ran.out).toMatch(/ {4}Prod +\$3\.00\n {6}wrapped as web, batch\n/);
  expect(ran.out).toMatch(/2026-03-10 +Prod .*\n +\$3\.00 Outside the gateway +wrapped as web, batch/);
  expect(wideLines(ran)).toEqual([]);
  await it.close();
});

test('for two organizations of one provider it says that the summary cannot be compared with one of them', async () => {
  const it = await openReported(['claude-sonnet-4-5'], {
    async prepare({ ledger: book }) {
      await book.records.adminKeys.create(
        newAdminKey({ name: 'second', key: 'sk-ant-admin01-second-0123456789', organizationId: 'org_2' }),
        'owner',
      );
    },
  });
  const ran = await runLine('reconcile --from 2026-03-10 --to 2026-03-10', { env: it.env });
  expect(ran.out).toContain('The usage summary adds all organizations of anthropic');
  expect(ran.out).not.toContain('From there to the provider’s');
  await it.close();
});

test('keys beyond those shown in a terminal are added up', async () => {
  const keys = Array.from({ length: 7 }, (_, index) => `direct_${index}`);
  const it = await openReported(['claude-sonnet-4-5'], { keys });
  const line = 'reconcile --from 2026-03-10 --to 2026-03-10';
  const { out } = await runLine(line, { env: it.env });
  expect(out).toMatch(/direct_4 +\$3\.00\n +2 more +\$6\.00\n/);
  const whole = await runLine(line, { env: it.env, columns: null });
  expect(whole.out).toMatch(/direct_6 +\$3\.00\n/);
  expect(whole.out).not.toContain(' more ');
  await it.close();
});
