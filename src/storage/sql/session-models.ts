import { TollbookError } from '../../domain/errors.ts';
import { NO_NAME } from './name-table.ts';
import { number } from './result-row.ts';
import { ask, askEach, insertRows, type RowInsert, type SqlSteps } from './steps.ts';

/** Different models that a workspace's session records and observed calls may name. */
const SESSION_MODELS_MAX = 10_000;

const KNOWN_MODEL = 'SELECT model FROM session_models WHERE workspace = ? AND model = ?';
const COUNT_MODELS = 'SELECT count(*) AS n FROM session_models WHERE workspace = ?';
const ADD_MODEL: RowInsert = {
  table: 'session_models',
  columns: ['workspace', 'model'],
  keyColumns: 2,
  onConflict: '',
  returning: [],
};

/** A model that a workspace names, as numbers of names. */
interface ModelPlace {
  readonly workspace: number;
  readonly model: number;
}

/** Throws `unprocessable` if a workspace would name more different models than are kept apart. */
export function* requireRoomForModels(places: readonly ModelPlace[]): SqlSteps<void> {
  const models = new Map(places.map(({ workspace, model }) => [model, [workspace, model]]));
  for (const known of yield* askEach(KNOWN_MODEL, [...models.values()])) models.delete(number(known, 'model'));
  const [[workspace = NO_NAME] = []] = models.values();
  if (models.size === 0) return;
  const [row] = yield ask(COUNT_MODELS, [workspace]);
  if (number(row ?? {}, 'n') + models.size > SESSION_MODELS_MAX)
    throw new TollbookError(
      'unprocessable',
      `The records of this workspace name ${SESSION_MODELS_MAX} different models at most, and this upload another one.`,
      'model',
    );
  yield* insertRows(ADD_MODEL, [...models.values()]);
}
