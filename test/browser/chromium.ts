import { existsSync } from 'node:fs';

/** Usual locations; `CHROMIUM` sets another one. */
const PLACES = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Returns the path of Chromium; null = not installed. */
export function findChromium(): string | null {
  return PLACES.find((path) => path !== undefined && existsSync(path)) ?? null;
}
