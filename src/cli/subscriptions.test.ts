import { afterEach, beforeEach, expect, test } from 'vitest';
import { runLine } from '../../test/run-line.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { SubscriptionShape } from '../contract/sync.ts';

let it: TestLedger;

beforeEach(async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  await it.ledger.close();
});
afterEach(() => it.close());

const run = (line: string) => runLine(line, { env: it.env });

async function json<T>(line: string): Promise<T> {
  const { code, out, err } = await run(`${line} --json`);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as T;
}

test('subscriptions are added, listed and ended', async () => {
  expect((await run('subscriptions list')).out).toContain('subscriptions add --plan max_5x');
  const { id } = await json<SubscriptionShape>('subscriptions add --plan max-5x --from 2026-01-01 --seats 2');
  const list = await run('subscriptions list');
  expect(list.out).toMatch(/Claude Max.* 100 × 2 .*2026-01-01 .*anthropic/);
  expect(Math.max(...list.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect((await run(`subscriptions end ${id} --on 2026-02-28`)).out).toContain('from 2026-01-01 to 2026-02-28');
  expect(await json('subscriptions list')).toEqual([]);
  expect(await json('subscriptions list --all')).toMatchObject([{ id, endedAt: '2026-02-28', active: false }]);
  expect((await run(`subscriptions end ${id} --on never`)).out).toContain('from 2026-01-01 on');
  expect((await run('audit')).out).toMatch(/subscription\.end/);
});

test('a plan with another name needs a provider and a price', async () => {
  expect(await run('subscriptions add --plan gold')).toMatchObject({
    code: 1,
    err: expect.stringContaining('provider'),
  });
  const gold = await json('subscriptions add --plan gold --provider openai --price 12.5 --name Gold');
  expect(gold).toMatchObject({ plan: 'gold', name: 'Gold', monthlyCost: 12.5, provider: 'openai' });
  expect((await run('subscriptions add --plan pro --seats many')).err).toContain('seats');
});

test('an invalid day is refused by the name of its option', async () => {
  for (const line of ['add --plan pro --from 2026-02-30', 'add --plan pro --until ever', 'end sub_1 --on 2026-1-1']) {
    const { code, err } = await run(`subscriptions ${line}`);
    expect([code, err]).toEqual([1, expect.stringMatching(/--(from|until|on) ".*" is not a valid time.*monday/)]);
  }
});

test('days in a list are never shortened', async () => {
  await run('subscriptions add --plan max_5x --from 2026-01-01');
  const { id } = await json<SubscriptionShape>(
    'subscriptions add --plan chatgpt_business --from 2026-01-01 --seats 20',
  );
  await run(`subscriptions end ${id} --on 2099-12-31`);
  const { out } = await run('subscriptions list');
  expect(out).toContain('  2026-01-01  2099-12-31  openai');
});
