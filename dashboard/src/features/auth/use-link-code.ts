import { useEffect, useState } from 'react';
import { readLinkCode } from './code-of-link.ts';

/** The code of the link that led here. It is taken out of the address, so that nobody reads it over a shoulder. */
export function useLinkCode(): string | null {
  const [code] = useState(() => readLinkCode(globalThis.location.hash));
  useEffect(() => {
    globalThis.history.replaceState(globalThis.history.state, '', globalThis.location.pathname);
  }, []);
  return code;
}
