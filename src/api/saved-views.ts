import type { SavedViewShape } from '../contract/saved-views.ts';
import { toIso } from '../domain/time/period.ts';
import type { Records } from '../storage/records/records.ts';
import type { SavedView } from '../storage/records/saved-views.ts';
import { endpoint } from './http/endpoint.ts';
import { withEtag } from './http/if-match.ts';

export interface SavedViewServices {
  readonly records: Records;
}

export const listViews = endpoint('GET /api/manage/views', async ({ caller }, { records }: SavedViewServices) =>
  (await records.savedViews.list(caller.workspaceId)).map(savedViewShape),
);

export const saveView = endpoint(
  'POST /api/manage/views',
  async ({ caller: { workspaceId, actor }, body }, { records }: SavedViewServices) =>
    savedViewShape(await records.savedViews.save(workspaceId, body, actor)),
);

export const removeView = endpoint(
  'DELETE /api/manage/views/{id}',
  async ({ caller: { workspaceId, actor }, path, requireMatch }, { records }: SavedViewServices) =>
    savedViewShape(
      await records.savedViews.remove(workspaceId, path.id, actor, (now) => requireMatch(savedViewShape(now))),
    ),
);

function savedViewShape({ id, name, address, createdAt }: SavedView): SavedViewShape {
  return withEtag({ id, name, address, createdAt: toIso(createdAt) });
}
