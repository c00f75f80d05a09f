// Takes the pictures of the README from the demo: `npm run screenshots`.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { startDemo } from './demo.ts';
import { open } from './places.ts';
import { setup } from './setup.ts';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots', import.meta.url));
const DESK = { viewport: { width: 1280, height: 860 } };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1, isMobile: true, hasTouch: true };

const PICTURES = [
  { name: 'limits-dark', path: '/limits', ...DESK, colorScheme: 'dark' },
  { name: 'calls-phone', path: '/calls', ...PHONE, colorScheme: 'dark' },
  { name: 'overview-light', path: '/', ...DESK, colorScheme: 'light' },
  { name: 'overview-dark', path: '/', ...DESK, colorScheme: 'dark' },
  { name: 'explore-light', path: '/explore?by=model', ...DESK, colorScheme: 'light' },
  { name: 'assistants-light', path: '/assistants', ...DESK, colorScheme: 'light' },
  { name: 'overview-phone', path: '/', ...PHONE, colorScheme: 'light' },
] as const;

interface Canvas {
  readonly width: number;
  readonly height: number;
  getContext(kind: '2d'): { getImageData(x: number, y: number, w: number, h: number): { data: Uint8ClampedArray } };
}

/** True when all charts are drawn. */
function drawn(): boolean {
  const { document } = globalThis as unknown as { document: { querySelectorAll(what: 'canvas'): Iterable<Canvas> } };
  return [...document.querySelectorAll('canvas')].every((it) =>
    it.getContext('2d').getImageData(0, 0, it.width, it.height).data.some(Boolean),
  );
}

/** Waits until the demo has all its records, and the report of its organization has corrected some totals. */
async function seeded(page: Page, home: string): Promise<void> {
  await open(page, `${home}/limits`);
  await page.getByText('50 concurrent calls').first().waitFor();
  await page.getByText('Counting usage so far').first().waitFor({ state: 'detached' });
  await open(page, `${home}/calls`);
  await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' });
  for (let corrected = 0; corrected === 0;) {
    await open(page, `${home}/reports`);
    corrected = await page.getByText('comes from the report').count();
  }
  await page.close();
}

setup();
await mkdir(FOLDER, { recursive: true });
const browser = await openBrowser();
const demo = await startDemo();
try {
  await seeded(await browser.newPage(), demo.home);
  for (const { name, path, ...looks } of PICTURES) {
    const page = await browser.newPage({ ...looks, reducedMotion: 'reduce' });
    await open(page, demo.home + path);
    await page.waitForFunction(drawn);
    if (path === '/') await page.getByText('went through Tollbook').waitFor();
    await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' });
    await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
    await page.close();
  }
} finally {
  await browser.close();
  await demo.close();
}
