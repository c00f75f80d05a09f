/** A damaged file of the journal. */
export class JournalDamage extends Error {
  readonly file: string;

  constructor(file: string) {
    super(`${file} is damaged`);
    this.file = file;
  }
}

/** The journal has reached its maximum size. */
export class JournalFull extends Error {}

/** Explains a journal error to the operator, and what to do. */
export function explainJournalError(folder: string, error: unknown): string {
  // Text with a valid checksum that is not JSON was not written by the journal.
  if (error instanceof JournalDamage || error instanceof SyntaxError) {
    const where = error instanceof JournalDamage ? ` in ${error.file}` : '';
    return (
      `The journal ${folder} is damaged${where}: stop the service, move ${folder} aside, run "tollbook journal ` +
      'renew" and start again. Keep the old files: calls that are not in the ledger yet may be read from them.'
    );
  }
  if (error instanceof JournalFull)
    return `The journal ${folder} can't grow: it has reached its maximum size, because the ledger takes no calls from it.`;
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
      return `The journal ${folder} can't be opened: it does not exist, or is not a folder.`;
    case 'EIO':
      return `The disk of the journal ${folder} reports errors (${describeUnknownError(error)}): check the disk.`;
    default:
      return `The journal ${folder} can't be used: ${describeUnknownError(error)}.`;
  }
}

function describeUnknownError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
