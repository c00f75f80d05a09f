import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const ROUTES = readFileSync(new URL('../../dashboard/src/app/routes.tsx', import.meta.url), 'utf8');

/** Paths of every page, as `routes.tsx` declares them: a new page is visited without a line here. */
export const PAGE_PATHS = declaredPaths('page');
export const SIGNED_OUT_PATHS = declaredPaths('signedOutPage');

function declaredPaths(kind: 'page' | 'signedOutPage'): readonly string[] {
  return [...ROUTES.matchAll(new RegExp(String.raw`\b${kind}\('([^']+)'`, 'g'))].map(([, path = '']) => path);
}

/** Parts of the settings page. */
const PARTS = ['members', 'tokens', 'providers', 'account', 'audit'].map((part) => `/settings?part=${part}`);

/** Every page with its own address. */
export const PLACES: readonly string[] = [...PAGE_PATHS.filter((path) => !path.includes('$')), ...PARTS];

/** Pages of one row: the path of the list, and the path after the ID. */
export const ROW_PLACES: readonly (readonly [list: string, rest: string])[] = PAGE_PATHS.flatMap((path) => {
  const [, list, rest] = /^([^$]+)\/\$\w+(.*)$/.exec(path) ?? [];
  return list === undefined || rest === undefined ? [] : [[list, rest] as const];
});

/** Waits until a page has loaded its data. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => {
    const { document } = globalThis as unknown as { document: { body: { textContent: string | null } } };
    return !/Loading…|Opening Tollbook/.test(document.body.textContent ?? '');
  });
}

/** Loads a page from its address. */
export async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await settled(page);
}

/** Shows a page as a link of the dashboard does, which takes half as long as loading it. */
export async function visit(page: Page, address: string): Promise<void> {
  const [from, to] = [new URL(page.url()), new URL(address)];
  // A page that stays has no new heading to wait for.
  if (from.origin !== to.origin || from.pathname === to.pathname) return await open(page, address);
  await page.evaluate(`document.querySelector('h1').dataset.left = 'yes';
    history.pushState(null, '', ${JSON.stringify(to.pathname + to.search)})`);
  await page.locator('h1:not([data-left])').waitFor();
  await settled(page);
}

/** Returns the address of the newest row's page; null = the list is empty. */
export async function firstRow(page: Page, home: string, list: string): Promise<string | null> {
  await visit(page, home + list);
  const links = page.locator(`main a[href^="${list}/"]:not([href="${list}/new"])`);
  return (await links.count()) === 0 ? null : await links.first().getAttribute('href');
}

/** Rows of a table that stay visible. */
const ROWS_KEPT = 3;

/**
 * Hides what is checked elsewhere: the frame around every page, and rows like those above them. Loading a page shows them
 * again.
 */
export async function hideRepeated(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    for (const it of document.querySelectorAll('body a[href="#main"], header, section[aria-label="Tools"]'))
      it.style.visibility = 'hidden';
    for (const it of document.querySelectorAll('tbody tr:nth-child(n + ${ROWS_KEPT + 1})')) it.style.display = 'none';
  })()`);
}
