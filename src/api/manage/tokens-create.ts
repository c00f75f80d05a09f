import { z } from 'zod';
import { parseScopes, SCOPES } from '../../domain/identity/scopes.ts';
import { createdToken } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { grantedScopes } from '../permissions.ts';
import { expiry, name } from './fields.ts';
import { readExpiry } from '../fields.ts';

export const createToken = endpoint({
  method: 'POST',
  path: '/api/manage/tokens',
  summary: 'Make an access token',
  scope: 'admin',
  right: 'work',
  body: z.strictObject({
    name,
    scopes: z
      .array(z.string())
      .default([])
      .meta({ description: `Of ${SCOPES.join(', ')}; none = all but admin; a member gets what a member may` }),
    expiresAt: expiry.default(null),
  }),
  answer: createdToken,
  status: 201,
  async handle({ caller, body }, { records, gateway: gate }) {
    const { token, secret, hash } = await records.tokens.create(
      {
        workspaceId: caller.workspaceId,
        name: body.name,
        scopes: grantedScopes(caller, parseScopes(body.scopes), body.scopes.length === 0),
        expiresAt: readExpiry(body.expiresAt, 'expiresAt'),
      },
      caller.actor,
    );
    gate.tokenChanged(hash, true);
    return { id: token.id, name: token.name, scopes: [...token.scopes], token: secret };
  },
});
