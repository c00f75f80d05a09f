import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestLedger } from '../../test/test-ledger.ts';
import type { TestLedger } from '../../test/test-ledger.ts';
import { type Ran, runLine, wideLines } from '../../test/run-line.ts';
import type { KeyPolicyShape } from '../contract/limits.ts';

let it: TestLedger;
let keyId: string;

/** A folder that a service has used and left: the commands open it themselves. */
async function openFolder(): Promise<void> {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  keyId = (await it.createKey('search')).id;
  await it.ledger.close();
}

const run = (line: string, env = {}): Promise<Ran> => runLine(line, { env: { ...it.env, ...env } });

async function json<T>(line: string): Promise<T> {
  const { code, out } = await run(`${line} --json`);
  expect(code).toBe(0);
  return JSON.parse(out) as T;
}

async function failure(line: string): Promise<string> {
  const { code, err } = await run(line);
  expect(code).toBe(1);
  return err;
}

describe('policies', () => {
  beforeAll(openFolder);
  afterAll(() => it.close());

  test('are set rule by rule, shown, listed and cleared', async () => {
    expect((await run('policies list')).out).toBe('No wrapped key has a policy yet.\n');
    const rules =
      "--allow-model claude-* --allow-model gpt-* --deny-model claude-opus-* --max-output 4096 --require-tag team=a,b --require-tag user --address 10.0.0.0/8 --hours 'Mon-Fri 09:00-18:00 Europe/Berlin' --refuse --min-output 1024 --presume 0.25 --unpriced allow --on-disconnect abort --geo us --tier default --max-body 1MiB";
    const ran = await run(`policies set ${keyId} ${rules}`);
    expect(wideLines(ran)).toEqual([]);
    expect(ran.out.split('\n')).toEqual([
      `Key ${keyId} "search":`,
      '  models allowed      claude-*, gpt-*',
      '  models denied       claude-opus-*',
      '  largest output      4,096 tokens',
      '  tags required       team=a,b; user',
      '  addresses           10.0.0.0/8',
      '  hours               mon,tue,wed,thu,fri 09:00-18:00 Europe/Berlin',
      '  calls over limit    are refused',
      '  shortest output     1,024 tokens',
      '  unbounded work      is assumed to cost $0.25',
      '  unpriced models     are allowed',
      '  on disconnect       cancel the call',
      '  geography           us',
      '  service tier        default',
      '  largest request     1,048,576 bytes',
      '',
    ]);
    const { policy } = await json<KeyPolicyShape>(`policies set ${keyId} --shorten --max-output 100`);
    expect(policy).toMatchObject({ whenOverLimit: 'shorten', maxOutputTokens: 100, deniedModels: ['claude-opus-*'] });
    expect(await json<KeyPolicyShape>(`policies show ${keyId}`)).toMatchObject({ keyId, policy });
    expect(await json<KeyPolicyShape[]>('policies list')).toHaveLength(1);
    const { policy: fewer } = await json<KeyPolicyShape>('policies clear search max-output require-tag');
    expect(fewer).toEqual({ ...policy, maxOutputTokens: null, requiredTags: {} });
    expect(await failure('policies clear search speed')).toMatch(/Unknown rule "speed"; use one of allow-model/);
    expect((await run(`policies clear ${keyId}`)).out).toMatch(/"search" has no policy/);
  });

  test.each([
    ['', /Set at least one rule, for example --allow-model/],
    ['--max-output many', /"many" is not a whole number; for example: --max-output 4096/],
    ['--address home', /"home" is not an address; write one such as/],
    ['--hours always', /for example: --hours 'Mon-Fri 09:00-18:00 Europe\/Berlin'/],
    ["--hours 'Mon 09:00-18:00 Nowhere/City'", /"Nowhere\/City" is not a time zone/],
    ['--max-body large', /for example: --max-body 1MiB/],
    ['--presume 0', /above 0/],
    ['--require-tag team=', /has no value/],
  ])('set with %s gets an error with what to do', async (options, sentence) => {
    expect(await failure(`policies set ${keyId} ${options}`)).toMatch(sentence);
  });

  test('set with contradicting options is a usage error', async () => {
    expect((await run(`policies set ${keyId} --shorten --refuse`)).code).toBe(2);
    expect(await failure('policies show key_none')).toContain('key_none');
  });
});
