import { TollbookError } from '../domain/errors.ts';
import { KEY_ID } from '../domain/identity/name.ts';
import type { Client } from './client.ts';

/** People know keys by their names: the id of the wrapped key that has this id, or is not revoked and has this name. */
export async function findKeyId(client: Client, idOrName: string): Promise<string> {
  if (KEY_ID.test(idOrName)) return idOrName;
  const keys = await client.call('GET /api/manage/keys');
  const named = keys.find(({ name, revokedAt }) => name === idOrName && revokedAt === null);
  if (named) return named.id;
  throw new TollbookError(
    'not_found',
    `No wrapped key "${idOrName}" in this workspace. To list keys: tollbook keys list`,
  );
}
