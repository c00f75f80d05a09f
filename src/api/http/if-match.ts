import { hash } from 'node:crypto';
import { TollbookError } from '../../domain/errors.ts';

/** 96 bits: no two versions of one record share a tag by accident. */
const ETAG_CHARACTERS = 16;

/** Returns the version of a record, which changes with each field. Give only fields that people change. */
export function computeEtag(fields: object): string {
  return hash('sha256', JSON.stringify(fields), 'base64url').slice(0, ETAG_CHARACTERS);
}

/** Adds its version to a view of a record. Every field of the view must be one that people set. */
export function withEtag<View extends object>(view: View): View & { readonly etag: string } {
  return { ...view, etag: computeEtag(view) };
}

/**
 * Checks the header If-Match, so that no one overwrites or deletes another person's change without knowing. Call it
 * in the transaction that changes the record.
 * @param ifMatch the header; null = the caller sets no condition
 * @param now the record as it is stored; null = there is none
 * @throws TollbookError `precondition_failed`
 */
export function requireMatch(ifMatch: string | null, now: { readonly etag: string } | null): void {
  if (ifMatch === null || (now && listsTag(ifMatch, now.etag))) return;
  throw new TollbookError('precondition_failed', describeMismatch(ifMatch, now), 'If-Match');
}

function describeMismatch(ifMatch: string, now: object | null): string {
  if (now === null)
    return 'There is no such record to match If-Match, so nothing was saved. Without If-Match it is created.';
  if (/(^|,)\s*W\//.test(ifMatch))
    return 'If-Match has a weak tag (W/"…"), which never matches, so nothing was saved. Send the etag of the record without W/.';
  return 'This was changed after you read it, or If-Match is not its etag, so nothing was saved. Read it again, then repeat the change with its new etag.';
}

/** Accepts a tag without quotes too. A weak tag never matches, as RFC 9110 says. */
function listsTag(ifMatch: string, etag: string): boolean {
  return ifMatch.split(',').some((tag) => ['*', etag, `"${etag}"`].includes(tag.trim()));
}
