const CONTEXT_LINES = 2;

/** Returns the changes between two texts as one hunk with context lines, as in version control. */
export function diff(before: string, after: string): string {
  const old = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const now = after.replace(/\n$/, '').split('\n');
  const start = sharedLength(old, now);
  const end = sharedLength(old.slice(start).toReversed(), now.slice(start).toReversed());
  return [
    ...old.slice(Math.max(0, start - CONTEXT_LINES), start).map((line) => `  ${line}`),
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
    ...old.slice(old.length - end, old.length - end + CONTEXT_LINES).map((line) => `  ${line}`),
  ].join('\n');
}

/** Returns the number of equal first lines. */
function sharedLength(a: readonly string[], b: readonly string[]): number {
  const different = a.findIndex((line, index) => line !== b[index]);
  return different < 0 ? Math.min(a.length, b.length) : different;
}
