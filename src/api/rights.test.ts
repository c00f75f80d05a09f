import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson, claimLedger, type Person } from '../../test/people.ts';
import { DECIDED, RIGHTS_OF } from '../../test/rights.ts';
import { type Asked, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import { type AccessRight, type MemberRole, ROLES, TOKEN_SCOPES, type TokenScope } from '../domain/identity/access.ts';
import type { ErrorShape } from '../contract/errors.ts';
import { endpoints } from './endpoints.ts';

/** A caller: its credentials, and the rights it has. */
interface Asker {
  readonly who: string;
  readonly asking: Pick<Asked, 'token' | 'headers'>;
  readonly may: (right: AccessRight, scope: TokenScope) => boolean;
  /** Status of a refusal. */
  readonly refused: number;
}

let testLedger: TestLedger;
let askers: readonly Asker[];
let stranger: Person;

beforeAll(async () => {
  testLedger = await openTestLedger();
  const people = [await claimLedger(testLedger)];
  for (const role of ['admin', 'member', 'viewer'] as const) people.push(await addPerson(testLedger, role, role));
  const { id } = await testLedger.ledger.records.workspaces.create({ name: 'another' }, 'owner');
  stranger = await addPerson(testLedger, 'Stranger', 'owner', id);
  const tokens = await Promise.all(
    TOKEN_SCOPES.map(async (scope) => [scope, await testLedger.createToken([scope])] as const),
  );
  const { key } = await testLedger.createKey('a wrapped key');
  askers = [
    ...ROLES.toReversed().map((role, at) => ofPerson(role, people[at]?.headers ?? {})),
    ...tokens.map(([scope, token]) => ofToken(scope, token)),
    { who: 'nobody', asking: { token: null }, may: () => false, refused: 401 },
    { who: 'a wrapped key', asking: { token: key }, may: () => false, refused: 403 },
    {
      who: 'the owner of another workspace',
      asking: { token: null, headers: { ...stranger.headers, 'x-svc-workspace': 'ws_default' } },
      may: () => false,
      refused: 404,
    },
  ];
});
afterAll(() => testLedger.close());

function ofPerson(role: MemberRole, headers: Readonly<Record<string, string>>): Asker {
  return { who: role, asking: { token: null, headers }, may: (right) => RIGHTS_OF[role].includes(right), refused: 403 };
}

function ofToken(scope: TokenScope, token: string): Asker {
  const may: Asker['may'] = (right, needed) =>
    right !== 'operate' && right !== 'folder' && (scope === needed || scope === 'admin');
  return { who: `a token for ${scope}`, asking: { token }, may, refused: 403 };
}

test('every endpoint has the declared decision on who may call it', () => {
  const declared = endpoints.map(({ method, path, right, scope }) => [`${method} ${path}`, right, scope]);
  const byName = (a: readonly unknown[], b: readonly unknown[]): number => String(a[0]).localeCompare(String(b[0]));
  expect(declared.toSorted(byName)).toEqual(DECIDED.toSorted(byName));
});

test.each(DECIDED.filter(([, right]) => right !== 'public'))(
  '%s answers those who may ask it and nobody else',
  async (name, right, scope) => {
    if (right === 'public' || scope === null) throw new Error(`${name} is public`);
    for (const { who, asking, may, refused } of askers) {
      const answer = await send(name, asking);
      const allowed = may(right, scope);
      const seen = { name, who, refused: isRefusal(answer) ? answer.status : null };
      expect(seen).toEqual({ name, who, refused: allowed ? null : refused });
    }
  },
);

interface Told {
  readonly status: number;
  /** null = success. */
  readonly error: string | null;
}

/** Sends a request that names nothing existing and has an empty body, so that an allowed one changes nothing. */
async function send(name: string, asking: Pick<Asked, 'token' | 'headers'>): Promise<Told> {
  const [method = '', path = ''] = name.split(' ');
  const answer = await testLedger.ask(path.replaceAll(/\{\w+\}/g, 'none'), {
    ...asking,
    method,
    ...(method !== 'GET' && { body: {} }),
  });
  if (answer.ok) await answer.body?.cancel();
  return { status: answer.status, error: answer.ok ? null : ((await answer.json()) as ErrorShape).error };
}

/**
 * Returns true if the answer refuses the caller. A missing record is not a refusal; a workspace of others is, although
 * its message is the same as for a missing one.
 */
function isRefusal({ status, error }: Told): boolean {
  return status === 401 || status === 403 || error === 'There is no workspace "ws_default".';
}
