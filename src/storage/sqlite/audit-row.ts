import { type AuditNote, auditRow, AUDIT_HEAD, formatChainHead } from '../records/audit.ts';
import type { Actor } from '../records/actor.ts';
import type { SqliteConnection } from './connection.ts';
import { number, text } from './row.ts';

const LAST = 'SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1';
const INSERT = `INSERT INTO audit (seq, at, workspace_id, actor, action, subject, "before", "after", prev_hash, hash)
  VALUES (:seq, :at, :workspace_id, :actor, :action, :subject, :before, :after, :prev_hash, :hash)`;
const MOVE_HEAD = `INSERT INTO settings (name, value) VALUES (:name, :value)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** The next row of the audit chain, written in the transaction that is open. */
export function writeAuditRow(connection: SqliteConnection, at: number, actor: Actor, note: AuditNote): void {
  const last = connection.statement(LAST).get();
  const row = auditRow(last && { seq: number(last, 'seq'), hash: text(last, 'hash') }, at, actor, note);
  connection.statement(INSERT).run({ ...row });
  connection.statement(MOVE_HEAD).run({ name: AUDIT_HEAD, value: formatChainHead(row) });
}
