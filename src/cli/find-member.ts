import type { MemberShape } from '../contract/accounts.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Client } from './client.ts';

/** A member by id or e-mail address. */
export async function findMember(client: Client, named: string): Promise<MemberShape> {
  const members = await client.get<MemberShape[]>('/api/manage/members');
  const found = members.find(({ userId, email }) => userId === named || email === named.trim().toLowerCase());
  if (found) return found;
  throw new TollbookError(
    'not_found',
    `There is no member "${named}" in this workspace; tollbook members list shows them.`,
  );
}
