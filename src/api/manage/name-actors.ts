import type { Records } from '../../storage/records/records.ts';

/** Name and e-mail address of a person; null = it is no person, or one who is gone. */
export type NameOf = (actor: string) => string | null;

export async function nameActors(actors: readonly string[], { users }: Pick<Records, 'users'>): Promise<NameOf> {
  const people = await users.named([...new Set(actors.filter((actor) => actor.startsWith('user_')))]);
  return (actor) => {
    const user = people.get(actor);
    return user ? `${user.name} <${user.email}>` : null;
  };
}
