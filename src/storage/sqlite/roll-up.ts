import type { Entry } from '../../core/call.ts';
import { DAY_MS, floor } from '../segments.ts';
import type { Counts } from '../totals.ts';
import type { Cells } from './cells.ts';
import { NO_NAME } from './names.ts';
import type { Names } from './names.ts';
import type { ValueCaps } from './value-caps.ts';

type Placed = Pick<Entry, 'workspaceId' | 'source' | 'provider' | 'model' | 'keyId' | 'status' | 'beganAt' | 'tags'>;

/** Adds `counts` to every cell in which the entry stands. */
export function rollUp(entry: Placed, counts: Counts, cells: Cells, names: Names, caps: ValueCaps): void {
  const { workspaceId, beganAt } = entry;
  const workspace = names.id(workspaceId);
  const day = floor(beganAt, DAY_MS);
  const model =
    entry.model === null
      ? NO_NAME
      : caps.place([workspace, day], entry.model, { workspaceId, of: 'model', tagKey: null, day });
  const place = {
    workspace,
    beganAt,
    source: names.id(entry.source),
    provider: names.id(entry.provider),
    model,
    key: names.id(entry.keyId),
    status: entry.status,
    tag_key: NO_NAME,
    tag_value: NO_NAME,
  };
  cells.addPlain(place, counts);
  for (const [tagKey, value] of Object.entries(entry.tags)) {
    const tag_key = caps.place([workspace], tagKey, { workspaceId, of: 'tag_key', tagKey: null, day: null });
    const overflow = { workspaceId, of: 'tag_value', tagKey, day } as const;
    const tag_value = caps.place([workspace, tag_key, day], value, overflow);
    cells.addTag({ ...place, tag_key, tag_value }, counts);
  }
}
