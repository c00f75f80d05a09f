import { TollbookError } from '../../domain/errors.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type Actor, audited } from './audit.ts';
import { type ChangeCheck, notFound, type RecordContext, requireRoom, requireWorkspace } from './context.ts';
import type { RecordTables } from './tables.ts';

const VIEWS_PER_WORKSPACE_MAX = 200;
const NAME_CHARS_MAX = 80;
const ADDRESS_CHARS_MAX = 4_000;
/** A page of the dashboard with its search parameters. Two slashes would be another server. */
const ADDRESS = /^\/[a-z]*(?:\?[^\s#]*)?$/;

/** A view of the dashboard that everybody in the workspace can open. */
export interface SavedView {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  /** Path and search parameters: `/explore?by=key`. */
  readonly address: string;
  readonly createdAt: number;
}

export interface SavedViewRecords {
  /** Saves a view; one with the same name gets the new address. */
  save(workspaceId: string, view: Pick<SavedView, 'name' | 'address'>, actor: Actor): Promise<SavedView>;
  /** Returns the views by name. */
  list(workspaceId: string): Promise<SavedView[]>;
  remove(workspaceId: string, id: string, actor: Actor, check?: ChangeCheck<SavedView>): Promise<SavedView>;
}

export function savedViewRecords(context: RecordContext): SavedViewRecords {
  const { db, clock } = context;
  return {
    save: (workspaceId, given, actor) =>
      audited(context, actor, async (tx, note) => {
        await requireWorkspace(tx, workspaceId);
        const { name, address } = checkView(given);
        const rows = await tx.selectFrom('saved_views').selectAll().where('workspace_id', '=', workspaceId).execute();
        const same = rows.map(toSavedView).find((one) => one.name.toLowerCase() === name.toLowerCase());
        if (!same) requireRoom(rows.length, VIEWS_PER_WORKSPACE_MAX, 'saved views');
        const view = { id: same?.id ?? newId('view', clock), workspaceId, name, address, createdAt: clock() };
        if (same) await tx.deleteFrom('saved_views').where('id', '=', same.id).execute();
        await tx
          .insertInto('saved_views')
          .values({ id: view.id, workspace_id: workspaceId, name, address, created_at: view.createdAt })
          .execute();
        const before = same ? { name: same.name, address: same.address } : null;
        await note({ workspaceId, action: 'view.save', subject: view.id, before, after: { name, address } });
        return view;
      }),
    async list(workspaceId) {
      const query = db.selectFrom('saved_views').selectAll().where('workspace_id', '=', workspaceId);
      const views = (await query.orderBy('id').execute()).map(toSavedView);
      return views.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
    },
    remove: (workspaceId, id, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const query = tx
          .selectFrom('saved_views')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id);
        const row = await query.executeTakeFirst();
        if (!row) throw notFound('saved view', id);
        const view = toSavedView(row);
        check?.(view);
        await tx.deleteFrom('saved_views').where('id', '=', id).execute();
        const before = { name: view.name, address: view.address };
        await note({ workspaceId, action: 'view.remove', subject: id, before, after: null });
        return view;
      }),
  };
}

function checkView(given: Pick<SavedView, 'name' | 'address'>): Pick<SavedView, 'name' | 'address'> {
  const name = given.name.trim();
  if (name === '' || name.length > NAME_CHARS_MAX)
    throw new TollbookError('invalid', `name must have 1 to ${NAME_CHARS_MAX} characters.`, 'name');
  if (given.address.length > ADDRESS_CHARS_MAX || !ADDRESS.test(given.address))
    throw new TollbookError(
      'invalid',
      `address must be a page of the dashboard with its filters, such as /explore?by=key, in at most ${ADDRESS_CHARS_MAX} characters.`,
      'address',
    );
  return { name, address: given.address };
}

function toSavedView(row: RecordTables['saved_views']): SavedView {
  const { id, workspace_id: workspaceId, name, address, created_at: createdAt } = row;
  return { id, workspaceId, name, address, createdAt };
}
