import { z } from 'zod';
import type { AccessToken } from '../storage/records/records.ts';
import { type ListedToken, listedToken } from '../contract/accounts.ts';
import { endpoint } from './http/endpoint.ts';
import { managesAll } from './permissions.ts';
import { nameActors, type NameOf } from './manage/name-actors.ts';
import { tokenView } from './manage/token-view.ts';

export const listTokens = endpoint({
  method: 'GET',
  path: '/api/manage/tokens',
  summary: 'List access tokens, revoked ones included; a member sees those they made',
  scope: 'admin',
  right: 'work',
  answer: z.array(listedToken),
  async handle({ caller }, { records }) {
    const tokens = await records.tokens.list(caller.workspaceId);
    const shown = managesAll(caller) ? tokens : tokens.filter(({ madeBy }) => madeBy === caller.actor);
    const actors = shown.flatMap(({ madeBy }) => madeBy ?? []);
    const nameOf = await nameActors(actors, caller.workspaceId, records);
    return shown.map((token) => listedView(token, nameOf));
  },
});

function listedView(token: AccessToken, nameOf: NameOf): ListedToken {
  return { ...tokenView(token), madeByName: token.madeBy && nameOf(token.madeBy) };
}
