import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

/** Where Debian and others put it; `CHROMIUM` names another one. */
const PLACES = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A real browser. The dashboard is built first, if its sources are newer than what was built. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = PLACES.find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined)
    throw new Error('There is no Chromium. Install it (apt-get install chromium) or name it in CHROMIUM.');
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.mjs', '--if-needed']);
  if (status !== 0) throw new Error(`The dashboard does not build:\n${stderr.toString()}`);
  return await chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** Gathers what must never happen on a page: broken script, and anything that the policy had to refuse. */
export function watchTrouble(page: Page): string[] {
  const trouble: string[] = [];
  page.on('pageerror', (error) => trouble.push(`script: ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/i.test(message.text())) trouble.push(`policy: ${message.text()}`);
  });
  return trouble;
}
