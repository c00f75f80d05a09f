import { toIso } from '../domain/time/period.ts';
import { endpoint } from './http/endpoint.ts';
import type { Records } from '../storage/records/records.ts';

export interface AuditServices {
  readonly records: Records;
}

/** Returns a person's name and email address or an access token's name; null = neither, or a removed person. */
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

export const listAudit = endpoint('GET /api/manage/audit', async ({ caller, query }, { records }: AuditServices) => {
  const workspaceId = caller.namesWorkspace ? caller.workspaceId : null;
  const rows = await records.audit.list({
    workspaceId,
    limit: query.limit,
    before: query.cursor ?? null,
  });
  const nameOf = await nameActors(
    rows.map(({ actor }) => actor),
    workspaceId,
    records,
  );
  return {
    rows: rows.map(({ seq, at, actor, action, subject, before, after, hash }) => ({
      seq,
      at: toIso(at),
      actor,
      actorName: nameOf(actor),
      action,
      subject,
      before,
      after,
      hash,
    })),
    nextCursor: rows.length === query.limit ? (rows.at(-1)?.seq ?? null) : null,
  };
});
