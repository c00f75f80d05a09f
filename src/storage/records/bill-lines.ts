import { type BillLine, checkBillLine, type NewBillLine } from '../../domain/billing/bill-line.ts';
import { parseName } from '../../domain/identity/name.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type Actor, audited } from './audit.ts';
import { type ChangeCheck, notFound, type RecordContext, requireRoom, requireWorkspace } from './context.ts';
import type { RecordTables } from './tables.ts';

const BILL_LINES_PER_WORKSPACE_MAX = 200;

/** Credits and commitments, which no change edits. */
export interface BillLineRecords {
  add(line: NewBillLine, actor: Actor): Promise<BillLine>;
  /** Returns all lines, ordered by creation. */
  list(workspaceId: string): Promise<BillLine[]>;
  remove(workspaceId: string, id: string, actor: Actor, check?: ChangeCheck<BillLine>): Promise<void>;
}

export function billLineRecords(context: RecordContext): BillLineRecords {
  const { db, clock } = context;
  return {
    add: (wanted, actor) =>
      audited(context, actor, async (tx, note) => {
        checkBillLine(wanted);
        const { workspaceId, ...line } = { ...wanted, name: parseName(wanted.name) };
        await requireWorkspace(tx, workspaceId);
        const { count } = await tx
          .selectFrom('bill_lines')
          .select((select) => select.fn.countAll<number>().as('count'))
          .where('workspace_id', '=', workspaceId)
          .executeTakeFirstOrThrow();
        requireRoom(count, BILL_LINES_PER_WORKSPACE_MAX, 'credits and commitments');
        const added = { ...line, workspaceId, id: newId('bill', clock), createdAt: clock() };
        const row = {
          id: added.id,
          workspace_id: workspaceId,
          line: JSON.stringify(line),
          created_at: added.createdAt,
        };
        await tx.insertInto('bill_lines').values(row).execute();
        await note({ workspaceId, action: 'bill_line.add', subject: added.id, before: null, after: line });
        return added;
      }),
    async list(workspaceId) {
      const query = db.selectFrom('bill_lines').selectAll().where('workspace_id', '=', workspaceId).orderBy('id');
      return (await query.execute()).map(readBillLineRow);
    },
    remove: (workspaceId, id, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const query = tx.selectFrom('bill_lines').selectAll().where('workspace_id', '=', workspaceId);
        const row = await query.where('id', '=', id).executeTakeFirst();
        if (!row) throw notFound('credit or commitment', id);
        check?.(readBillLineRow(row));
        await tx.deleteFrom('bill_lines').where('id', '=', id).execute();
        const before = JSON.parse(row.line) as Record<string, unknown>;
        await note({ workspaceId, action: 'bill_line.remove', subject: id, before, after: null });
      }),
  };
}

function readBillLineRow(row: RecordTables['bill_lines']): BillLine {
  const { id, workspace_id: workspaceId, created_at: createdAt, line } = row;
  return { ...(JSON.parse(line) as Omit<NewBillLine, 'workspaceId'>), id, workspaceId, createdAt };
}
