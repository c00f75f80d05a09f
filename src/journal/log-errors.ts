/** A file of the journal that is not as it was written. */
export class JournalDamage extends Error {
  readonly file: string;

  constructor(file: string) {
    super(`${file} is damaged`);
    this.file = file;
  }
}

/** The journal has as many bytes as it may. */
export class JournalFull extends Error {}

/** What a failure on the journal means for the operator, and what to do. */
export function explainJournalError(folder: string, error: unknown): string {
  // A text with a good check that is no JSON was not written by the journal.
  if (error instanceof JournalDamage || error instanceof SyntaxError) {
    const where = error instanceof JournalDamage ? ` in ${error.file}` : '';
    return (
      `The journal ${folder} is damaged${where}: stop the service, move ${folder} aside, run "tollbook journal ` +
      'renew" and start again. Keep the old files: calls that are not in the ledger yet may be read from them.'
    );
  }
  if (error instanceof JournalFull)
    return `The journal ${folder} can't grow: it is as large as it may be, for the book does not take its calls.`;
  switch ((error as NodeJS.ErrnoException).code ?? '') {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return `The journal ${folder} can't grow: free space on its disk.`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `The journal ${folder} can't be opened for writing: check that the service's user owns it and its folder.`;
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EEXIST':
      return `The journal ${folder} can't be opened: it is not there, or is no folder.`;
    case 'EIO':
      return `The disk of the journal ${folder} reports errors (${describeUnknownError(error)}): check the disk.`;
    default:
      return `The journal ${folder} can't be used: ${describeUnknownError(error)}.`;
  }
}

function describeUnknownError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
