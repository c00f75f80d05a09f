import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestLedger } from '../../test/test-ledger.ts';
import type { TestLedger } from '../../test/test-ledger.ts';
import { type Ran, runLine, wideLines } from '../../test/run-line.ts';
import type { ApplyResult } from '../contract/apply.ts';

let it: TestLedger;

/** A folder that a service has used and left: the commands open it themselves. */
async function openFolder(): Promise<void> {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  await it.createKey('search');
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

const YAML = `# Reviewed by the platform team.
keys:
  batch:
    provider: anthropic
    providerKeyEnv: TEST_PROVIDER_KEY
    tags: { team: batch }
    expiresAt: 2099-01-31
policies:
  batch:
    allowedModels: ['claude-haiku-*']
limits:
  - key: batch
    unit: usd
    amount: 5
    window: day
`;
const ENV = { TEST_PROVIDER_KEY: 'sk-good-provider-key-22222222' };

function write(text: string, name = 'team.yaml'): string {
  const path = join(it.folder, name);
  writeFileSync(path, text);
  return path;
}

describe('apply', () => {
  beforeAll(openFolder);
  afterAll(() => it.close());

  test('reads JSON too, and --json prints one object', async () => {
    const path = write('{"limits": [{"unit": "calls", "amount": 10, "window": "minute"}]}', 'team.json');
    const applied = await json<ApplyResult>(`apply ${path}`);
    expect(applied.changes).toMatchObject([{ action: 'create', kind: 'limit', name: 'calls per minute, all calls' }]);
  });

  test('shortens long values so that lines fit 80 columns', async () => {
    const models = Array.from({ length: 20 }, (_, index) => `a-model-of-some-length-${index}`);
    const ran = await run(`apply ${write(JSON.stringify({ policies: { search: { deniedModels: models } } }))}`);
    expect(wideLines(ran)).toEqual([]);
    expect(ran.out).toMatch(/^\+ policy search\n {4}deniedModels: .*…\n/m);
  });

  test.each([
    ['limits:\n  - unit: usd\n    amount: five\n    window: day\n', ':3: limits.0.amount: "five" is not an amount'],
    ['limits:\n  - unit: usd\n    window: day\n', ':2: limits.0.amount is missing'],
    ['limits:\n  - unit: usd\n    amount: 5\n    window: year\n', ':4: limits.0.window must be one of minute'],
    ['policies:\n  nobody:\n    geo: us\n', ':3: policies.nobody: No wrapped key "nobody"'],
    ['policies:\n  search:\n    geos: us\n', ':3: policies.search.geos: There is no "geos" in policy'],
    ['keys:\n  a:\n    provider: anthropic\n    providerKey: sk-inline\n', ':3: keys.a has unknown fields'],
    [
      'keys:\n  a:\n    provider: anthropic\n    providerKeyEnv: NOT_SET\n',
      ':4: keys.a.providerKeyEnv: The environment variable NOT_SET is not set',
    ],
    [
      'providers:\n  lab:\n    url: http://127.0.0.1:1/v1\n    urls: x\n',
      ':3: providers.lab has unknown fields: "urls"',
    ],
    [
      'prices:\n  - provider: nobody\n    model: m\n    usdPerMillion: { input: 1 }\n',
      ':2: prices.0.provider: There is no provider "nobody"',
    ],
    [
      'environment: {A: b}\n',
      ':1: Unknown section "environment"; use providers, prices, keys, policies, limits, webhooks',
    ],
    ['limits: [\n', ':'],
    ['a: 1\na: 2\n', ':2: '],
    ['- limits\n', ': It must have at least one of these sections: providers'],
    ['', ': It must have at least one of these sections: providers'],
  ])('reports %j with file, line and field', async (text, sentence) => {
    const path = write(text);
    const error = await failure(`apply ${path}`);
    expect(error).toContain(`tollbook: ${path}${sentence}`);
    expect(error).not.toContain('sk-inline');
  });

  test('names a missing file', async () => {
    expect(await failure('apply nowhere.yaml')).toMatch(/^tollbook: nowhere\.yaml can't be read \(ENOENT\)\.\n$/);
  });
});

describe('an applied file', () => {
  beforeAll(openFolder);
  afterAll(() => it.close());

  test('is planned, applied, prints new keys once, and then has no changes', async () => {
    const path = write(YAML);
    const plan = await run(`apply ${path} --dry-run`);
    expect(wideLines(plan)).toEqual([]);
    expect(plan.out.split('\n')).toEqual([
      '+ key batch',
      '    provider: anthropic',
      '    tags: {"team":"batch"}',
      '    expiresAt: 2099-02-01T00:00:00.000Z',
      '+ policy batch',
      '    allowedModels: ["claude-haiku-*"]',
      '+ limit usd per day, key batch',
      '    amount: 5',
      '3 to create, 0 to change, 0 to remove, 0 as they are',
      '',
    ]);
    expect(plan).toMatchObject({
      code: 0,
      err: 'Warning: keys.batch.providerKeyEnv: TEST_PROVIDER_KEY is not set.\n',
    });
    expect((await run(`apply ${path} --dry-run`, ENV)).err).toBe('');
    expect(await json('keys list')).toHaveLength(1);
    const done = await run(`apply ${path}`, ENV);
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toMatch(
      /\n3 created, 0 changed, 0 removed, 0 as they are\n\nNew wrapped keys\..*\n\n +svc_sk_\w+ +batch\n$/,
    );
    expect(done.out).not.toContain(ENV.TEST_PROVIDER_KEY);
    expect((await run(`apply ${path}`)).out).toBe('0 created, 0 changed, 0 removed, 3 as they are\n');
    const changed = write(YAML.replace('amount: 5', 'amount: 7.5').replace('claude-haiku-*', 'claude-*'));
    expect((await run(`apply ${changed} --prune`)).out.split('\n')).toEqual([
      '~ policy batch',
      '    allowedModels: ["claude-haiku-*"] → ["claude-*"]',
      '~ limit usd per day, key batch',
      '    amount: 5 → 7.5',
      '- key search',
      '0 created, 2 changed, 1 removed, 1 as it is',
      '',
    ]);
  });

  test('the schema of the file contains every field', async () => {
    const { code, out } = await run('apply --schema');
    expect(code).toBe(0);
    const schema = JSON.parse(out) as { properties: Record<string, object> };
    expect(Object.keys(schema.properties)).toEqual(['providers', 'prices', 'keys', 'policies', 'limits', 'webhooks']);
    for (const field of ['providerKeyEnv', 'maxOutputTokens', 'eachTag', 'uncertainRule', 'secretEnv'])
      expect(out).toContain(`"${field}"`);
    expect((await run('apply')).err).toContain('Name the file');
  });
});
