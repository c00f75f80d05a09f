import { describe, expect, test } from 'vitest';
import { checkPolicy, type PolicySubject } from './check-policy.ts';
import { parsePolicy } from './parse-policy.ts';
import { OPEN_POLICY } from './policy.ts';

const NOON = Date.UTC(2026, 10, 20, 12); // a Friday

interface Asked extends Partial<Omit<PolicySubject, 'models'>> {
  readonly model?: string;
  readonly pricedModel?: string | null;
  readonly others?: PolicySubject['models'];
}

function check(written: unknown, { model = 'claude-haiku-4-5', pricedModel = null, others = [], ...call }: Asked = {}) {
  return checkPolicy(parsePolicy(written), {
    keyName: 'batch',
    models: [{ model, pricedModel }, ...others],
    tags: {},
    tagWarnings: [],
    address: '192.0.2.7',
    at: NOON,
    bodyBytes: 1_000,
    ...call,
  });
}

test('a policy without rules refuses nothing', () => expect(check({})).toBeNull());

describe('models', () => {
  test.each([{ deniedModels: ['claude-opus-*'] }, { allowedModels: ['claude-haiku-*'] }])(
    'a request that any model may answer does not pass %o',
    (policy) => expect(check(policy, { anyModel: true })).toMatchObject({ type: 'policy_denied', param: 'model' }),
  );

  test.each([
    ['claude-opus-4-5', null],
    ['CLAUDE-OPUS-4-5', null],
    [' claude-opus-4-5 ', null],
    ['anthropic/claude-opus-4-5', null],
    ['models/claude-opus-4-5', null],
    ['a/b/claude-opus-4-5', null],
    ['opus', 'claude-opus-4-5'],
    ['claude-opus-4-5[1m]', 'claude-opus-4-5'],
  ])('a denied model is refused as %j priced as %j', (model, pricedModel) =>
    expect(check({ deniedModels: ['claude-opus-*'] }, { model, pricedModel })).toMatchObject({
      type: 'policy_denied',
      status: 403,
      param: 'model',
    }),
  );

  test('a denied model is refused as a fallback', () => {
    const others = [{ model: 'claude-opus-4-5', pricedModel: null }];
    expect(check({ deniedModels: ['claude-opus-*'] }, { others })?.status).toBe(403);
    expect(check({ allowedModels: ['claude-haiku-*'] }, { others })?.status).toBe(403);
  });

  test('only allowed models pass, under any of their spellings', () => {
    const policy = { allowedModels: ['claude-haiku-*', 'gpt-4o-mini'] };
    expect(check(policy, { model: 'openai/GPT-4o-mini' })).toBeNull();
    expect(check(policy, { model: 'mini', pricedModel: 'gpt-4o-mini' })).toBeNull();
    expect(check(policy, { model: 'gpt-4o-mini-2' })?.status).toBe(403);
  });

  test('a denial overrides a permission', () =>
    expect(
      check({ allowedModels: ['claude-*'], deniedModels: ['*opus*'] }, { model: 'claude-opus-4-5' })?.message,
    ).toBe('The wrapped key "batch" may not use claude-opus-4-5: its policy denies *opus*. It may use claude-*.'));

  test('the error names what is allowed, and stays short', () => {
    const refusal = check(
      { allowedModels: Array.from({ length: 100 }, (_, at) => `m${at}`) },
      { model: 'x'.repeat(5_000) },
    );
    expect(refusal?.message).toContain('its policy allows m0, m1, m2, m3, m4, m5, m6, m7 and 92 more.');
    expect(refusal?.message.length).toBeLessThan(300);
  });
});

describe('tags', () => {
  const policy = { requiredTags: { team: ['search', 'ads'], user: null } };

  test('pass if each has an allowed value', () =>
    expect(check(policy, { tags: { team: 'ads', user: 'anyone' } })).toBeNull());

  test('a missing tag is an error of the request, and omitted tags are named', () => {
    const refusal = check(policy, { tags: { user: 'ann' }, tagWarnings: ['te?am is not percent-encoded'] });
    expect(refusal).toMatchObject({ type: 'invalid', status: 400, param: 'tags' });
    expect(refusal?.message).toBe(
      'The wrapped key "batch" requires the tag team, with one of search, ads. Send it in the header x-svc-tag-team. Left out: te?am is not percent-encoded.',
    );
  });

  test('a value that is not allowed is reported with those that are', () =>
    expect(check(policy, { tags: { team: 'Ads', user: 'ann' } })?.message).toContain(
      "doesn't take team=Ads, but one of search, ads",
    ));

  test('an inherited property is not a tag', () =>
    expect(check({ requiredTags: { tostring: null } }, { tags: Object.create({ tostring: 'x' }) })?.status).toBe(400));
});

describe('addresses', () => {
  const policy = { allowedAddresses: ['10.0.0.0/8', '2001:db8::/32'] };
  test.each(['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1'])('%s passes', (address) =>
    expect(check(policy, { address })).toBeNull(),
  );
  test.each(['192.0.2.7', '::1', 'unknown', '', null])('%s is refused', (address) =>
    expect(check(policy, { address })).toMatchObject({ status: 403, param: 'address' }),
  );
});

describe('active hours', () => {
  const at = (day: number, hour: number, minute = 0): number => Date.UTC(2026, 10, day, hour, minute);
  const workday = { days: ['fri'], from: '09:00', until: '18:00', timeZone: 'Europe/Berlin' };
  const night = { days: ['fri'], from: '22:00', until: '06:00', timeZone: 'UTC' };

  test.each([
    [workday, at(20, 8)],
    [workday, at(20, 16, 59)],
    [night, at(20, 22)],
    [night, at(21, 5, 59)],
  ])('%j are open at %i', (activeHours, now) => expect(check({ activeHours }, { at: now })).toBeNull());

  test.each([
    [workday, at(20, 7, 59)],
    [workday, at(20, 17)],
    [workday, at(21, 12)],
    [night, at(20, 21, 59)],
    [night, at(20, 5)],
    [night, at(21, 6)],
    [night, at(21, 23)],
  ])('%j are closed at %i', (activeHours, now) =>
    expect(check({ activeHours }, { at: now })).toMatchObject({ status: 403, param: 'activeHours' }),
  );

  test('follow daylight saving time in their zone', () => {
    const daily = { from: '09:00', until: '10:00', timeZone: 'Europe/Berlin' };
    expect(check({ activeHours: daily }, { at: Date.UTC(2026, 2, 28, 8) })).toBeNull();
    expect(check({ activeHours: daily }, { at: Date.UTC(2026, 2, 29, 7) })).toBeNull();
    expect(check({ activeHours: daily }, { at: Date.UTC(2026, 2, 29, 8) })?.message).toContain(
      'every day from 09:00 until 10:00 (Europe/Berlin)',
    );
  });
});

test('a larger body is refused with both sizes', () => {
  expect(check({ maxBodyBytes: 1_000 })).toBeNull();
  expect(check({ maxBodyBytes: 1_000 }, { bodyBytes: 1_001 })?.message).toContain(
    'at most 1,000 bytes; this one has 1,001',
  );
});

test('a call without a required name is refused, and the error names its header', () => {
  const policy = { ...OPEN_POLICY, requiredNames: ['session', 'run'] } as const;
  const subject = { keyName: 'a', models: [], tags: {}, tagWarnings: [], address: null, at: 0, bodyBytes: 0 };
  const checkNames = (session: string | null, run: string | null) =>
    checkPolicy(policy, { ...subject, context: { session, run } })?.message ?? null;
  expect(checkNames(null, 'r')).toBe(
    'The wrapped key "a" requires a session. Send its name in the header x-svc-session.',
  );
  expect(checkNames('s', null)).toBe('The wrapped key "a" requires a run. Send its name in the header x-svc-run.');
  expect(checkNames('s', 'r')).toBeNull();
  expect(checkPolicy(policy, subject)).toBeNull();
});
