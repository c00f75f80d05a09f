import { TollbookError } from '../../domain/errors.ts';
import { type Actor, audited } from './audit.ts';
import type { RecordContext } from './context.ts';
import type { RecordDb } from './tables.ts';

/** Facts of the installation as text; never a secret. */
export interface SettingRecords {
  get(name: string): Promise<string | null>;
  set(name: string, value: string, actor: Actor): Promise<void>;
}

/** Names with a dot belong to the records themselves. */
const NAME_FORM = /^[a-z][a-z0-9_-]{0,63}$/;

export function settingRecords(context: RecordContext): SettingRecords {
  return {
    get: (name) => readSetting(context.db, name),
    set: (name, value, actor) =>
      audited(context, actor, async (tx, note) => {
        if (!NAME_FORM.test(name))
          throw new TollbookError('invalid', `"${name}" can't be the name of a setting.`, 'name');
        const before = await readSetting(tx, name);
        if (before === value) return;
        await tx
          .insertInto('settings')
          .values({ name, value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute();
        const old = before === null ? null : { value: before };
        await note({ workspaceId: null, action: 'setting.set', subject: name, before: old, after: { value } });
      }),
  };
}

async function readSetting(db: RecordDb, name: string): Promise<string | null> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value ?? null;
}
