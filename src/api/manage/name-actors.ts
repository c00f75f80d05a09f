import type { Records } from '../../storage/records/records.ts';

/** A person's name and e-mail address, an access token's name; null = neither, or a person who is gone. */
export type NameOf = (actor: string) => string | null;

/** @param workspaceId whose tokens may be named; null = those of none */
export async function nameActors(
  actors: readonly string[],
  workspaceId: string | null,
  { users, tokens }: Pick<Records, 'users' | 'tokens'>,
): Promise<NameOf> {
  const people = await users.named([...new Set(actors.filter((actor) => actor.startsWith('user_')))]);
  const namesTokens = workspaceId !== null && actors.some((actor) => actor.startsWith('tok_'));
  const own = new Map((namesTokens ? await tokens.list(workspaceId) : []).map(({ id, name }) => [id, name]));
  return (actor) => {
    const user = people.get(actor);
    if (user) return `${user.name} <${user.email}>`;
    const token = own.get(actor);
    return token === undefined ? null : `token "${token}"`;
  };
}
