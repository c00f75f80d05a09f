/** Primary result codes of SQLite, https://sqlite.org/rescode.html */
const CODES = {
  perm: 3,
  busy: 5,
  locked: 6,
  readonly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
};

/** What SQLite's failure on the journal means for the operator, and what to do. */
export function explainSqlite(file: string, error: unknown): string {
  const code = resultCode(error);
  if (code === CODES.full) return `The journal ${file} can't grow: free space on its disk.`;
  if (code === CODES.busy || code === CODES.locked)
    return `The journal ${file} is locked by another process: end whatever has it open.`;
  // A row that is no JSON was not written by the journal.
  if (code === CODES.corrupt || code === CODES.notADatabase || error instanceof SyntaxError)
    return (
      `The journal ${file} is damaged: stop the service, move ${file}, ${file}-wal and ${file}-shm aside, and start ` +
      'again with a new journal. Keep the old files: calls that are not in the book yet may be read from them.'
    );
  if (code === CODES.readonly || code === CODES.perm || code === CODES.cantOpen)
    return `The journal ${file} can't be opened for writing: check that the service's user owns it and its folder.`;
  if (code === CODES.io) return `The disk of the journal ${file} reports errors (${messageOf(error)}): check the disk.`;
  return `The journal ${file} can't be used: ${messageOf(error)}.`;
}

function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  // Extended codes keep the primary one in their low byte.
  return error.errcode & 0xff;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
