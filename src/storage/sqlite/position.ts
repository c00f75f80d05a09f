import { TollbookError } from '../../core/errors.ts';
import type { Connection } from './connection.ts';

const FIND = 'SELECT began_at, id FROM entries WHERE call_id = ? AND workspace = ?';

/** An entry's place in the order of time; entries of one millisecond stand as they came. */
export interface Position {
  readonly beganAt: number;
  readonly id: number;
}

/** The position of the given call, before all others when there is none. */
export function positionAfter(connection: Connection, workspace: number, callId: string | null): Position {
  if (callId === null) return { beganAt: -1, id: 0 };
  const row = connection.statement(FIND).get(callId, workspace);
  if (!row) throw new TollbookError('not_found', `There is no entry ${callId} any more; start again from the oldest.`);
  return { beganAt: Number(row['began_at']), id: Number(row['id']) };
}
