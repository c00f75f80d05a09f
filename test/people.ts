import type { MemberRole } from '../src/domain/identity/access.ts';
import type { TestLedger } from './test-ledger.ts';

export const PASSWORD = 'correct horse battery';

/** A signed-in person, with the requests of their browser. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly cookie: string;
  /** Headers of a request from a page of ours. */
  readonly headers: Readonly<Record<string, string>>;
}

export function cookieOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

/** Creates the owner of the default workspace. */
export async function claimLedger({ ledger: testLedger, ask }: TestLedger, name = 'Olga'): Promise<Person> {
  const code = await testLedger.records.users.offerClaim('system');
  const body = { code, name, email: `${name.toLowerCase()}@example.com`, password: PASSWORD };
  return personOf(await ask('/api/account/claim', { token: null, method: 'POST', body }));
}

/** Adds a new person to one workspace. */
export async function addPerson(
  { ledger: testLedger, ask, time }: TestLedger,
  name: string,
  role: MemberRole,
  workspaceId = 'ws_default',
): Promise<Person> {
  const input = { workspaceId, role, email: null, expiresAt: time.now + 86_400_000 };
  const { code } = await testLedger.records.invitations.create(input, { actor: 'owner', role: null });
  const body = { code, name, email: `${name.toLowerCase()}@example.com`, password: PASSWORD };
  return personOf(await ask('/api/account/accept', { token: null, method: 'POST', body }));
}

async function personOf(answer: Response): Promise<Person> {
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  const { user } = (await answer.json()) as { user: { id: string; email: string } };
  const cookie = cookieOf(answer);
  return { ...user, cookie, headers: { cookie, 'sec-fetch-site': 'same-origin' } };
}
