import { z } from 'zod';
import { parseKeyName } from '../../domain/identity/name.ts';
import { parseTags } from '../../domain/usage/tags.ts';
import { unlessUnchanged } from '../../domain/unless-unchanged.ts';
import { seen } from '../../contract/seen.ts';
import { requireUnchanged } from '../http/if-match.ts';
import { wrappedKey } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { requireOwn } from '../permissions.ts';
import { expiry, keyTags, name } from './fields.ts';
import { wrappedKeyView } from './key-view.ts';
import { readExpiry } from '../fields.ts';

export const updateKey = endpoint({
  method: 'PATCH',
  path: '/api/manage/keys/{id}',
  summary: 'Rename a wrapped key, set its expiry or its tags',
  scope: 'admin',
  right: 'work',
  body: z.strictObject({ name: name.optional(), expiresAt: expiry.optional(), tags: keyTags.optional(), seen }),
  answer: wrappedKey,
  async handle({ caller, path, body }, { records, gateway: gate }) {
    const { workspaceId, actor } = caller;
    const before = await records.keys.get(workspaceId, path.id);
    const newName = body.name === undefined ? undefined : readKeyName(body.name, before.name);
    const tags = body.tags && parseTags(body.tags, before.tags);
    const expiresAt = body.expiresAt === undefined ? undefined : readExpiry(body.expiresAt, 'expiresAt');
    const change = {
      ...(newName !== undefined && { name: newName }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(tags && { tags }),
    };
    const key = await records.keys.update(workspaceId, path.id, change, actor, (now) => {
      requireOwn(caller, now);
      requireUnchanged(body.seen, wrappedKeyView(now));
    });
    await gate.keyChanged(key.id);
    return wrappedKeyView(key);
  },
});

function readKeyName(written: string, before: string): string {
  return unlessUnchanged(before, written.trim(), () => parseKeyName(written));
}
