import { z } from 'zod';
import type { AlertMute } from '../domain/alerts/mute.ts';
import { toIso } from '../domain/time/period.ts';
import { type MuteShape, mute, muteInput } from '../contract/anomalies.ts';
import { endpoint } from './http/endpoint.ts';
import { isoOrNull, readExpiry } from './fields.ts';

export const listMutes = endpoint({
  method: 'GET',
  path: '/api/manage/mutes',
  summary: 'What nobody is told of',
  scope: 'admin',
  right: 'read',
  answer: z.array(mute),
  handle: async ({ caller }, { records }) => (await records.mutes.list(caller.workspaceId)).map(muteView),
});

export const createMute = endpoint({
  method: 'POST',
  path: '/api/manage/mutes',
  summary: 'Mute alerts of a type, a scope, or both',
  description:
    'What is muted is not stored as an alert and not sent; the list of anomalies says how many are left out. Trouble of the installation and OVERRUN are always told.',
  scope: 'admin',
  right: 'manage',
  body: muteInput,
  answer: mute,
  status: 201,
  async handle({ caller, body }, { records }) {
    const { type, scope, reason } = body;
    const until = readExpiry(body.until, 'until');
    const { workspaceId, actor } = caller;
    return muteView(await records.mutes.create({ workspaceId, type, scope, until, reason }, actor));
  },
});

export const removeMute = endpoint({
  method: 'DELETE',
  path: '/api/manage/mutes/{id}',
  summary: 'Remove a mute',
  scope: 'admin',
  right: 'manage',
  answer: mute,
  handle: async ({ caller, path }, { records }) =>
    muteView(await records.mutes.remove(caller.workspaceId, path.id, caller.actor)),
});

function muteView({ id, type, scope, until, reason, createdAt }: AlertMute): MuteShape {
  return { id, type, scope: { ...scope }, until: isoOrNull(until), reason, createdAt: toIso(createdAt) };
}
