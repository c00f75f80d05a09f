import { useEffect, useState } from 'react';

/** Returns the code after # in a link, which no server and no log sees; null = the link is incomplete. */
export function readLinkCode(hash: string): string | null {
  const code = hash.replace(/^#/, '').trim();
  return code === '' ? null : code;
}

const HERE = 'http://here.invalid';

/** Returns a path of this dashboard, or `/` for any address that leads elsewhere. */
export function safePath(text: string | undefined): string {
  if (text === undefined || !text.startsWith('/') || !URL.canParse(text, HERE)) return '/';
  // Parse as the browser does: it drops tabs and line ends and turns backslashes into slashes.
  const { origin, pathname, search, hash } = new URL(text, HERE);
  return origin === HERE && !pathname.startsWith('//') ? pathname + search + hash : '/';
}

/** Reads the code of the opened link, then removes it from the address bar. */
export function useLinkCode(): string | null {
  const [code] = useState(() => readLinkCode(globalThis.location.hash));
  useEffect(() => {
    globalThis.history.replaceState(globalThis.history.state, '', globalThis.location.pathname);
  }, []);
  return code;
}
