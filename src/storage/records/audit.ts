import { hash } from 'node:crypto';
import type { RecordContext } from './context.ts';
import type { RecordDb, RecordTables, RecordTransaction } from './tables.ts';

/** Setting with the last row of the chain, so that rows deleted from its end are noticed. */
export const AUDIT_HEAD = 'audit.head';
/** `prev_hash` of the first row. */
const FIRST_PREV_HASH = '';
const VERIFY_ROWS = 1_000;

export interface AuditNote {
  /** null = the whole installation. */
  readonly workspaceId: string | null;
  readonly action: string;
  readonly subject: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** Runs a change and writes its audit row in the same transaction. */
export async function audited<T>(
  { db, clock, vault }: Pick<RecordContext, 'db' | 'clock' | 'vault'>,
  actor: Actor,
  work: (tx: RecordTransaction, note: (note: AuditNote) => Promise<void>) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await vault.follow(tx);
    return await work(tx, (note) => audit(tx, clock(), actor, note));
  });
}

/** Writes one audit row in an open transaction. */
export async function audit(tx: RecordTransaction, at: number, actor: Actor, note: AuditNote): Promise<void> {
  const row = auditRow(await lastRow(tx), at, actor, note);
  await tx.insertInto('audit').values(row).execute();
  await writeHead(tx, row);
}

/**
 * Takes as long as writing a row and changes nothing, so that the duration does not reveal whether a row was written.
 */
export async function auditNothing(tx: RecordTransaction, at: number, note: AuditNote): Promise<void> {
  const last = await lastRow(tx);
  auditRow(last, at, 'system', note);
  // Rewrites the same value, so that this transaction also writes to disk.
  if (last) await writeHead(tx, last);
}

type AuditTableRow = RecordTables['audit'];
type ChainLink = Pick<AuditTableRow, 'seq' | 'hash'>;

function lastRow(tx: RecordTransaction): Promise<ChainLink | undefined> {
  return tx.selectFrom('audit').select(['seq', 'hash']).orderBy('seq', 'desc').limit(1).executeTakeFirst();
}

async function writeHead(tx: RecordTransaction, last: ChainLink): Promise<void> {
  const value = formatChainHead(last);
  await tx
    .insertInto('settings')
    .values({ name: AUDIT_HEAD, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Builds the row after `last`; undefined = the first row. */
export function auditRow(last: ChainLink | undefined, at: number, actor: Actor, note: AuditNote): AuditTableRow {
  const unsealed = {
    seq: (last?.seq ?? 0) + 1,
    at,
    workspace_id: note.workspaceId,
    actor,
    action: note.action,
    subject: note.subject,
    before: note.before && JSON.stringify(note.before),
    after: note.after && JSON.stringify(note.after),
    prev_hash: last?.hash ?? FIRST_PREV_HASH,
  };
  return { ...unsealed, hash: hashAuditRow(unsealed) };
}

/** Hashes every column, in a fixed order. */
function hashAuditRow(row: Omit<AuditTableRow, 'hash'>): string {
  const { seq, at, workspace_id, actor, action, subject, before, after, prev_hash } = row;
  const text = JSON.stringify([seq, at, workspace_id, actor, action, subject, before, after, prev_hash]);
  return hash('sha256', text, 'hex');
}

export function formatChainHead(row: ChainLink): string {
  return `${row.seq}:${row.hash}`;
}

export function auditRecords({ db }: RecordContext): AuditRecords {
  return {
    async list({ workspaceId, limit, before }) {
      const newest = () => {
        const query = db.selectFrom('audit').selectAll().orderBy('seq', 'desc').limit(limit);
        return before === null ? query : query.where('seq', '<', before);
      };
      if (workspaceId === null) return (await newest().execute()).map(readAuditRow);
      // Two questions, each of which stops at the limit: one with an OR would sort all rows.
      const members = db.selectFrom('members').select('user_id').where('workspace_id', '=', workspaceId);
      const own = await newest().where('workspace_id', '=', workspaceId).execute();
      const theirs = await newest().where('workspace_id', 'is', null).where('subject', 'in', members).execute();
      const rows = [...own, ...theirs].toSorted((a, b) => b.seq - a.seq);
      return rows.slice(0, limit).map(readAuditRow);
    },
    verify: () => verifyAudit(db),
  };
}

/** Checks the chain page by page and names the first row that does not follow. */
async function verifyAudit(db: RecordDb): Promise<AuditVerdict> {
  let last = { seq: 0, hash: FIRST_PREV_HASH };
  for (;;) {
    const query = db.selectFrom('audit').selectAll().where('seq', '>', last.seq).orderBy('seq').limit(VERIFY_ROWS);
    const rows = await query.execute();
    for (const row of rows) {
      const reason = breakBetween(last, row);
      if (reason !== null) return { ok: false, rows: last.seq, seq: row.seq, reason };
      last = row;
    }
    if (rows.length < VERIFY_ROWS) break;
  }
  const head = await db.selectFrom('settings').select('value').where('name', '=', AUDIT_HEAD).executeTakeFirst();
  if ((head?.value ?? formatChainHead({ seq: 0, hash: FIRST_PREV_HASH })) === formatChainHead(last))
    return { ok: true, rows: last.seq };
  return { ok: false, rows: last.seq, seq: last.seq + 1, reason: 'rows at the end are missing or were added by hand' };
}

function breakBetween(last: { seq: number; hash: string }, row: AuditTableRow): string | null {
  if (row.seq !== last.seq + 1) return `row ${last.seq + 1} is missing`;
  if (row.prev_hash !== last.hash) return `row ${row.seq} does not follow the one before it`;
  return hashAuditRow(row) === row.hash ? null : `row ${row.seq} was changed`;
}

function readAuditRow(row: AuditTableRow): AuditRow {
  return {
    seq: row.seq,
    at: row.at,
    workspaceId: row.workspace_id,
    actor: row.actor,
    action: row.action,
    subject: row.subject,
    before: row.before === null ? null : (JSON.parse(row.before) as AuditRow['before']),
    after: row.after === null ? null : (JSON.parse(row.after) as AuditRow['after']),
    prevHash: row.prev_hash,
    hash: row.hash,
  };
}

/** The author of a change: `owner` (control socket), the id of a user or an access token, or `system`. */
export type Actor = string;

interface AuditRow {
  readonly seq: number;
  readonly at: number;
  /** null = it concerns the whole installation. */
  readonly workspaceId: string | null;
  readonly actor: Actor;
  /** For example `key.create`. */
  readonly action: string;
  /** Id of the record. */
  readonly subject: string;
  /** The record's visible fields before and after; null = there was none. Never a secret. */
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly prevHash: string;
  readonly hash: string;
}

export interface AuditRecords {
  /**
   * Returns rows of one workspace (null = all, for the owner), newest first, older than `before` (null = from the
   * newest). Includes what its members did as users of the installation, such as signing in.
   */
  list(query: { workspaceId: string | null; limit: number; before: number | null }): Promise<AuditRow[]>;
  /** Checks the chain of hashes from the first row to the last. */
  verify(): Promise<AuditVerdict>;
}

type AuditVerdict =
  | { readonly ok: true; readonly rows: number }
  | { readonly ok: false; readonly rows: number; readonly seq: number; readonly reason: string };
