import { z } from 'zod';
import { TollbookError } from '../../domain/errors.ts';
import { WEBHOOK_KINDS } from '../../domain/alerts/webhook-kinds.ts';
import { newSigningSecret } from '../../lib/crypto/signing-secret.ts';
import { newSecret } from '../../contract/webhooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { isoOrNull } from '../iso-or-null.ts';
import { checkTarget } from './check-target.ts';

const OLD_VALID_MS = 24 * 60 * 60_000;

export const renewSecret = endpoint({
  method: 'POST',
  path: '/api/mcp/webhooks/{id}/secret',
  summary: 'Give a webhook a new secret',
  description:
    'Answers with it this once. For 24 hours messages are signed with the one before too, unless `dropOld` says otherwise. Without `secret` one is made, which suits a webhook of type CUSTOM.',
  scope: 'webhooks:write',
  right: 'manage',
  body: z.strictObject({
    secret: z.string().min(1).optional().meta({ description: 'Default: a new random one' }),
    dropOld: z.boolean().default(false),
  }),
  answer: newSecret,
  async handle({ caller, path, body }, services) {
    const { workspaceId, actor } = caller;
    const { webhooks } = services.records;
    const { type, url, hasSecret } = await webhooks.get(workspaceId, path.id);
    if (body.secret === undefined && !WEBHOOK_KINDS[type].signs)
      throw new TollbookError(
        'invalid',
        WEBHOOK_KINDS[type].key
          ? `The secret of a webhook of type ${type} is the key that its receiver shows: give that one.`
          : `A webhook of type ${type} is not signed and needs no secret: its address is all there is.`,
        'secret',
      );
    const secret = body.secret ?? newSigningSecret();
    await checkTarget(services, type, { url, secrets: [secret] });
    const oldUntil = body.dropOld || !hasSecret ? null : services.clock() + OLD_VALID_MS;
    const { oldSecretUntil } = await webhooks.setSecret(workspaceId, path.id, secret, oldUntil, actor);
    return { secret, oldValidUntil: isoOrNull(oldSecretUntil) };
  },
});
