import type { RecordContext } from './context.ts';
import type { RecordTables } from './tables.ts';

const PROBLEM_CHARS_MAX = 300;

/** Reason why a provider did not say yet what a call cost. */
export interface CallProblem {
  readonly callId: string;
  /** A sentence. */
  readonly problem: string;
  /** Failed questions in a row. */
  readonly asks: number;
  readonly askedAt: number;
  /** Time of the next question; null = the provider is not asked again. */
  readonly dueAt: number | null;
}

export interface CallProblemRecords {
  /** Stores the newest problem of a call. */
  note(workspaceId: string, problem: CallProblem): Promise<void>;
  /** Returns the problems that calls have. */
  find(workspaceId: string, callIds: readonly string[]): Promise<Map<string, CallProblem>>;
  clear(workspaceId: string, callId: string): Promise<void>;
  /** Deletes problems that were noted before a time. */
  prune(before: number): Promise<void>;
}

export function callProblemRecords({ db }: RecordContext): CallProblemRecords {
  return {
    async note(workspaceId, { callId, problem, asks, askedAt, dueAt }) {
      const noted = { problem: problem.slice(0, PROBLEM_CHARS_MAX), asks, asked_at: askedAt, due_at: dueAt };
      await db
        .insertInto('call_problems')
        .values({ call_id: callId, workspace_id: workspaceId, ...noted })
        .onConflict((conflict) => conflict.column('call_id').doUpdateSet(noted))
        .execute();
    },
    async find(workspaceId, callIds) {
      if (callIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('call_problems')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('call_id', 'in', callIds)
        .execute();
      return new Map(rows.map((row) => [row.call_id, toCallProblem(row)]));
    },
    async clear(workspaceId, callId) {
      await db
        .deleteFrom('call_problems')
        .where('workspace_id', '=', workspaceId)
        .where('call_id', '=', callId)
        .execute();
    },
    async prune(before) {
      await db.deleteFrom('call_problems').where('asked_at', '<', before).execute();
    },
  };
}

function toCallProblem(row: RecordTables['call_problems']): CallProblem {
  const { call_id: callId, problem, asks, asked_at: askedAt, due_at: dueAt } = row;
  return { callId, problem, asks, askedAt, dueAt };
}
