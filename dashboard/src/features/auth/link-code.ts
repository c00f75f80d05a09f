import { useEffect, useState } from 'react';

/**
 * What a link carries behind #, where no server and no log sees it; null = the link is cut short. Kept here as long as
 * the page is open, for it leaves the address at once.
 */
export function readLinkCode(hash: string): string | null {
  const code = hash.replace(/^#/, '').trim();
  return code === '' ? null : code;
}

const HERE = 'http://here.invalid';

/** A path of this dashboard, or `/`: an address that somebody wrote must never lead elsewhere. */
export function safePath(text: string | undefined): string {
  if (text === undefined || !text.startsWith('/') || !URL.canParse(text, HERE)) return '/';
  // As the browser reads it, which leaves out tabs and line ends and turns slashes round.
  const { origin, pathname, search, hash } = new URL(text, HERE);
  return origin === HERE && !pathname.startsWith('//') ? pathname + search + hash : '/';
}

/** The code of the link that led here. It is taken out of the address, so that nobody reads it over a shoulder. */
export function useLinkCode(): string | null {
  const [code] = useState(() => readLinkCode(globalThis.location.hash));
  useEffect(() => {
    globalThis.history.replaceState(globalThis.history.state, '', globalThis.location.pathname);
  }, []);
  return code;
}
