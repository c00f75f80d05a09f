import type { AlertMute } from '../domain/alerts/mute.ts';
import { toIso } from '../domain/time/period.ts';
import { type MuteShape } from '../contract/anomalies.ts';
import { endpoint } from './http/endpoint.ts';
import { withEtag } from './http/if-match.ts';
import { isoOrNull, readExpiry } from '../contract/fields.ts';
import type { Records } from '../storage/records/records.ts';

export interface MuteServices {
  readonly records: Records;
}

export const listMutes = endpoint('GET /api/manage/mutes', async ({ caller }, { records }: MuteServices) =>
  (await records.mutes.list(caller.workspaceId)).map(muteView),
);

export const createMute = endpoint('POST /api/manage/mutes', async ({ caller, body }, { records }: MuteServices) => {
  const { type, scope, reason } = body;
  const until = readExpiry(body.until, 'until');
  const { workspaceId, actor } = caller;
  return muteView(await records.mutes.create({ workspaceId, type, scope, until, reason }, actor));
});

export const removeMute = endpoint(
  'DELETE /api/manage/mutes/{id}',
  async ({ caller, path, requireMatch }, { records }: MuteServices) =>
    muteView(
      await records.mutes.remove(caller.workspaceId, path.id, caller.actor, (now) => requireMatch(muteView(now))),
    ),
);

function muteView({ id, type, scope, until, reason, createdAt }: AlertMute): MuteShape {
  return withEtag({
    id,
    type,
    scope: { ...scope },
    until: isoOrNull(until),
    reason,
    createdAt: toIso(createdAt),
  });
}
