import { change, insertRows, type RowInsert, type SqlSteps } from './steps.ts';

const LIST: RowInsert = {
  table: 'unpriced',
  columns: ['workspace', 'started_at', 'entry'],
  keyColumns: 3,
  onConflict: 'ON CONFLICT DO NOTHING',
  returning: [],
};
const UNLIST = 'DELETE FROM unpriced WHERE workspace = ? AND started_at = ? AND entry = ?';

export type UnpricedPlace = readonly [workspace: number, startedAt: number, entry: number];

export function* listUnpriced(places: readonly UnpricedPlace[]): SqlSteps<void> {
  yield* insertRows(LIST, places);
}

export function* unlistUnpriced(place: UnpricedPlace): SqlSteps<void> {
  yield* change(UNLIST, place);
}
