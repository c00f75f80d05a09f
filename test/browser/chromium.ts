import { existsSync } from 'node:fs';

/** Where Debian and others put it; `CHROMIUM` names another one. */
const PLACES = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine; null = there is none. */
export function findChromium(): string | null {
  return PLACES.find((path) => path !== undefined && existsSync(path)) ?? null;
}
