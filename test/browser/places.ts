import type { Page } from 'playwright-core';

/** Every page that has an address of its own. */
export const PLACES = [
  '/',
  '/explore',
  '/calls',
  '/keys',
  '/keys/new',
  '/limits',
  '/limits/new',
  '/alerts',
  '/webhooks',
  '/webhooks/new',
  '/reports',
  '/savings',
  '/prices',
  '/settings',
  '/settings?part=members',
  '/settings?part=tokens',
  '/settings?part=account',
  '/settings?part=audit',
] as const;

/** Lists whose rows have pages of their own. */
export const LISTS = ['/calls', '/keys', '/limits', '/alerts', '/webhooks'] as const;

/** Waits until all that a page shows is there. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => {
    const { document } = globalThis as unknown as { document: { body: { textContent: string | null } } };
    return !/Reading the book|Opening the book/.test(document.body.textContent ?? '');
  });
}

export async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await settled(page);
}

/** The address of the newest row's own page; null = the list is empty. */
export async function firstRow(page: Page, home: string, list: string): Promise<string | null> {
  await open(page, home + list);
  const links = page.locator(`main a[href^="${list}/"]:not([href="${list}/new"])`);
  return (await links.count()) === 0 ? null : await links.first().getAttribute('href');
}
