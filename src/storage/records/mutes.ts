import type { Alert } from '../../domain/alerts/alert.ts';
import { TollbookError } from '../../domain/errors.ts';
import { MUTABLE_TYPES, type AlertMute, type NewMute, silences } from '../../domain/alerts/mute.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type Actor, audited } from './audit.ts';
import { type ChangeCheck, type RecordContext, notFound, requireRoom, requireWorkspace } from './context.ts';
import { storedWord } from './stored-word.ts';
import type { RecordDb, RecordTables, RecordTransaction } from './tables.ts';

export interface MuteRecords {
  create(input: NewMute, actor: Actor): Promise<AlertMute>;
  /** Returns active mutes, oldest first. */
  list(workspaceId: string): Promise<AlertMute[]>;
  remove(workspaceId: string, id: string, actor: Actor, check?: ChangeCheck<AlertMute>): Promise<AlertMute>;
}

const MUTES_PER_WORKSPACE_MAX = 200;
const REASON_CHARS_MAX = 500;
const SCOPE_NAMES_MAX = 8;
const SCOPE_CHARS_MAX = 300;
/** Names that the scope of a mute may use. */
const SCOPE_NAME = /^(?:key|model|provider|limit|value|tag:.+)$/;

export function muteRecords(context: RecordContext): MuteRecords {
  const { db, clock } = context;
  return {
    create: (input, actor) =>
      audited(context, actor, async (tx, note) => {
        const { workspaceId } = input;
        await requireWorkspace(tx, workspaceId);
        const now = clock();
        const given = checkMute(input, now);
        // Those that are over make room.
        await tx.deleteFrom('mutes').where('workspace_id', '=', workspaceId).where('until', '<=', now).execute();
        requireRoom((await listMutes(tx, workspaceId)).length, MUTES_PER_WORKSPACE_MAX, 'mutes');
        const mute: AlertMute = { ...given, id: newId('mu', clock), createdAt: now };
        await tx.insertInto('mutes').values(toMuteRow(mute)).execute();
        await note({ workspaceId, action: 'mute.create', subject: mute.id, before: null, after: muteFacts(mute) });
        return mute;
      }),
    async list(workspaceId) {
      const now = clock();
      return (await listMutes(db, workspaceId)).filter(({ until }) => until === null || now < until);
    },
    remove: (workspaceId, id, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const mute = (await listMutes(tx, workspaceId)).find((one) => one.id === id);
        if (!mute) throw notFound('mute', id);
        check?.(mute);
        await tx.deleteFrom('mutes').where('id', '=', id).execute();
        await note({ workspaceId, action: 'mute.remove', subject: id, before: muteFacts(mute), after: null });
        return mute;
      }),
  };
}

/** Returns true if a mute covers this alert. */
export async function isMuted(tx: RecordTransaction, alert: Alert, now: number): Promise<boolean> {
  return (await listMutes(tx, alert.workspaceId)).some((mute) => silences(mute, alert, now));
}

function checkMute(mute: NewMute, now: number): NewMute {
  const reason = mute.reason.trim();
  if (reason === '' || reason.length > REASON_CHARS_MAX)
    throw invalidMute('reason', `must say why, in at most ${REASON_CHARS_MAX} characters`);
  if (mute.until !== null && mute.until <= now) throw invalidMute('until', 'must be in the future');
  const scope = Object.entries(mute.scope);
  if (scope.length > SCOPE_NAMES_MAX || scope.some((pair) => pair.join('').length > SCOPE_CHARS_MAX))
    throw invalidMute('scope', 'is longer than that of any alert');
  const unknown = scope.find(([name]) => !SCOPE_NAME.test(name));
  if (unknown)
    throw invalidMute(
      'scope',
      `can't name "${unknown[0]}"; it can name key, model, provider, limit, value and tag:NAME`,
    );
  return { ...mute, reason };
}

function invalidMute(param: string, what: string): TollbookError {
  return new TollbookError('invalid', `${param} ${what}.`, param);
}

type MuteRow = RecordTables['mutes'];

async function listMutes(db: RecordDb, workspaceId: string): Promise<AlertMute[]> {
  const query = db.selectFrom('mutes').selectAll().where('workspace_id', '=', workspaceId);
  return (await query.orderBy('created_at').orderBy('id').execute()).map(toMute);
}

function muteFacts({ type, scope, until, reason }: AlertMute): Record<string, unknown> {
  return { type, scope, until, reason };
}

function toMuteRow({ id, workspaceId, type, scope, until, reason, createdAt }: AlertMute): MuteRow {
  return { id, workspace_id: workspaceId, type, scope: JSON.stringify(scope), until, reason, created_at: createdAt };
}

function toMute(row: MuteRow): AlertMute {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    type: row.type === null ? null : storedWord(MUTABLE_TYPES, row.type),
    scope: JSON.parse(row.scope) as AlertMute['scope'],
    until: row.until,
    reason: row.reason,
    createdAt: row.created_at,
  };
}
