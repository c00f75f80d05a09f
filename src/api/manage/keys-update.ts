import { z } from 'zod';
import { parseTags } from '../../core/tags.ts';
import { wrappedKey } from '../contract.ts';
import { endpoint } from '../endpoint.ts';
import { expiry, keyTags, name } from './fields.ts';
import { keyView } from './key-view.ts';
import { readInstant } from './read-instant.ts';

export const updateKey = endpoint({
  method: 'PATCH',
  path: '/api/manage/keys/{id}',
  summary: 'Rename a wrapped key, set its expiry or its tags',
  scope: 'admin',
  body: z.strictObject({ name: name.optional(), expiresAt: expiry.optional(), tags: keyTags.optional() }),
  answer: wrappedKey,
  async handle({ caller, path, body }, { records, gate }) {
    const { workspaceId, actor } = caller;
    const tags = body.tags && parseTags(body.tags);
    const expiresAt = body.expiresAt === undefined ? undefined : readInstant(body.expiresAt, 'expiresAt');
    if (body.name !== undefined) await records.keys.rename(workspaceId, path.id, body.name, actor);
    if (expiresAt !== undefined) await records.keys.setExpiry(workspaceId, path.id, expiresAt, actor);
    if (tags) await records.keys.setTags(workspaceId, path.id, tags, actor);
    const key = await records.keys.get(workspaceId, path.id);
    await gate.keyChanged(key.id);
    return keyView(key);
  },
});
