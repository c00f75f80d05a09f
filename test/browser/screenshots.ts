// Takes the pictures of the README from the demo: `npm run screenshots`.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBrowser } from './browser.ts';
import { startDemo } from './demo.ts';
import { open } from './places.ts';
import { setup } from './setup.ts';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots', import.meta.url));
const DESK = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };

const PICTURES = [
  { name: 'overview-light', path: '/', viewport: DESK, colorScheme: 'light' },
  { name: 'overview-dark', path: '/', viewport: DESK, colorScheme: 'dark' },
  { name: 'explore-light', path: '/explore?by=model', viewport: DESK, colorScheme: 'light' },
  { name: 'limits-dark', path: '/limits', viewport: DESK, colorScheme: 'dark' },
  { name: 'overview-phone', path: '/', viewport: PHONE, colorScheme: 'light' },
  { name: 'calls-phone', path: '/calls', viewport: PHONE, colorScheme: 'dark' },
] as const;

setup();
await mkdir(FOLDER, { recursive: true });
const browser = await openBrowser();
const demo = await startDemo();
try {
  for (const { name, path, ...looks } of PICTURES) {
    const page = await browser.newPage({ ...looks, reducedMotion: 'reduce' });
    await open(page, demo.home + path);
    // Bars are drawn by a script of their own.
    await page.waitForLoadState('load');
    await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' });
    await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
    await page.close();
  }
} finally {
  await browser.close();
  await demo.close();
}
