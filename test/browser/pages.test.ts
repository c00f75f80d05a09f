import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../service.ts';
import { openBrowser, watchTrouble } from './browser.ts';

let service: Service;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let trouble: string[];

beforeAll(async () => {
  browser = await openBrowser();
  service = await startService({ urls: {} });
  const token = await service.createToken(['admin']);
  context = await browser.newContext({ extraHTTPHeaders: { authorization: `Bearer ${token}` } });
  page = await context.newPage();
  trouble = watchTrouble(page);
  const workspaces = [{ id: 'ws_default', name: 'Default', role: 'owner', timeZone: 'UTC' }];
  const account = {
    version: '0',
    demo: false,
    state: 'signed_in',
    user: { id: 'u', name: 'A', email: 'a@b.c' },
    workspaces,
  };
  await page.route('**/api/account', (route) => route.fulfill({ json: account }));
  // Bearers name their workspace by themselves.
  await page.route('**/api/{mcp,manage}/**', (route) => {
    const { 'x-svc-workspace': _, ...headers } = route.request().headers();
    return route.continue({ headers });
  });
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

test.each([
  ['/', 'Overview'],
  ['/explore', 'Explore'],
  ['/calls', 'Calls'],
])(
  '%s opens while there is nothing, and neither breaks nor asks for more than the policy lets it',
  async (path, title) => {
    await page.goto(`${service.baseUrl}${path}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(trouble).toEqual([]);
  },
);

test('the navigation and every switch above a page can be reached and used by keyboard', async () => {
  await page.goto(service.baseUrl);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.locator('main:focus').count()).toBe(1);
  await page.keyboard.press('/');
  await page.keyboard.type('expl');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Explore' }).waitFor();
});
