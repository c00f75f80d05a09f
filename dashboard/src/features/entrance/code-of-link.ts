/**
 * What a link carries behind #, where no server and no log sees it; null = the link is cut short. Kept here as long as
 * the page is open, for it leaves the address at once.
 */
export function codeOfLink(hash: string): string | null {
  const code = hash.replace(/^#/, '').trim();
  return code === '' ? null : code;
}

/** A path of this dashboard, or `/`: an address that somebody wrote must never lead elsewhere. */
export function safePath(text: string | undefined): string {
  return text !== undefined && /^\/(?![/\\])/.test(text) && !text.includes('\\') ? text : '/';
}
