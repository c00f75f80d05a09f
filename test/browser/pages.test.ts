import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../service.ts';
import { openBrowser, watchProblems } from './browser.ts';
import { visit } from './places.ts';
import { signIn, signUp } from './sign-up.ts';

/** The dashboard may have to be built first. */
const OPEN_MS_MAX = 180_000;

let service: Service;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let problems: string[];
let home: string;

beforeAll(async () => {
  browser = await openBrowser();
  service = await startService({ urls: {} });
  context = await browser.newContext();
  page = await context.newPage();
  problems = watchProblems(page);
  home = await signUp(page, service);
}, OPEN_MS_MAX);
afterAll(async () => {
  await browser.close();
  await service.close();
});

test('the navigation and the top bar work by keyboard', async () => {
  await page.goto(home);
  await page.getByRole('heading', { level: 1 }).waitFor();
  // Shortcuts work once the page has run, and then it is live.
  await page.getByText('Live', { exact: true }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.locator('main:focus').count()).toBe(1);
  await page.keyboard.press('/');
  await page.keyboard.type('expl');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Explore' }).waitFor();
});

test('an address that is no page is named, next to the menu', async () => {
  await page.goto(`${home}/no/such/page`);
  await page.getByText('Page not found').waitFor();
  expect(await page.getByRole('navigation').first().getByRole('link', { name: 'Limits' }).isVisible()).toBe(true);
});

test('the first page requests nothing twice', async () => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(home);
  await page.getByText('Live', { exact: true }).first().waitFor();
  // A refetch would come before the response to a later request.
  await page.getByRole('link', { name: 'Prices' }).click();
  await page.getByRole('group', { name: 'Prices' }).waitFor();
  for (const path of ['/api/account', '/api/mcp/usage/overview', '/api/manage/limits'])
    expect([path, asked.filter((one) => one === path).length]).toEqual([path, 1]);
});

test('people can rename themselves, and an invalid name is explained', async () => {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('a\u202Eb');
  await name.press('Enter');
  await page.getByText("characters that can't be shown").waitFor();
  expect(await name.getAttribute('aria-invalid')).toBe('true');
  await name.fill('Ada King');
  await name.press('Enter');
  await page.getByText('Saved.').waitFor();
  await page.getByRole('tab', { name: 'Members' }).click();
  await page.getByRole('group', { name: 'Members' }).getByText('Ada King (you)').waitFor();
  await page.getByRole('tab', { name: 'Audit log' }).click();
  await page.getByRole('group', { name: 'Audit log' }).getByText('user.rename').first().waitFor();
  expect(problems).toEqual([]);
});

test('the price list is short until "Show all", and every model is found by name', async () => {
  await page.goto(`${home}/prices`);
  const rows = page.getByRole('group', { name: 'Prices' }).locator('tbody tr');
  const more = page.getByRole('button', { name: /^Show all \d+ prices/ });
  const count = Number(/\d+/.exec(await more.innerText())?.[0]);
  expect(await rows.count()).toBeLessThan(count);
  await more.click();
  expect(await rows.count()).toBe(count);
  // Below a model stand the fees that no column has.
  const [last = ''] = (await rows.last().locator('td').first().innerText()).split('\n');
  await page.reload();
  await page.getByRole('textbox', { name: 'Find model' }).fill(last);
  await rows.filter({ hasText: last }).first().waitFor();
  expect(problems).toEqual([]);
});

test('owners add a provider where they choose one, see it in the settings, and delete it there', async () => {
  await page.goto(`${home}/keys/new`);
  await page.getByRole('button', { name: 'Other provider…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add provider' });
  await dialog.getByLabel('Address').fill('http://127.0.0.1:1/v1');
  await dialog.getByLabel('Name').fill('Lab server');
  const id = dialog.getByRole('textbox', { name: 'ID' });
  await id.fill('Not an id');
  await dialog.getByRole('button', { name: 'Add provider' }).click();
  await dialog.getByText('must be a lowercase word').waitFor();
  expect(await id.getAttribute('aria-invalid')).toBe('true');
  await id.fill('lab');
  await dialog.getByText('Prices and deployments').click();
  const deployments = dialog.getByLabel('Deployments');
  await deployments.fill('chat');
  await dialog.getByRole('button', { name: 'Add provider' }).click();
  await dialog.getByText('Write name=model').waitFor();
  await deployments.fill('chat=lab-1');
  await dialog.getByRole('button', { name: 'Add provider' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('radio', { name: 'Lab server', checked: true }).waitFor();
  // A server that may ask for no key.
  await page.getByRole('textbox', { name: 'Name' }).fill('lab key');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('heading', { name: /lab key/ }).waitFor();
  await page.goto(`${home}/settings?part=providers`);
  const row = page.getByRole('group', { name: 'Added providers' }).locator('tbody tr');
  await row.getByText('lab key').waitFor();
  await row.getByRole('button', { name: /^Test/ }).click();
  await page.getByRole('textbox', { name: 'Model' }).fill('lab-1');
  await page.getByRole('button', { name: 'Send test call' }).click();
  await page.getByRole('alert').getByText('Lab server could not be reached').waitFor();
  await page.getByRole('button', { name: 'Close' }).last().click();
  await row.getByRole('button', { name: /^Delete/ }).click();
  await page.getByRole('dialog').getByText('1 key of this workspace would stop working: ').waitFor();
  await page.getByRole('button', { name: 'Delete provider' }).click();
  await page.getByText('No added providers yet').waitFor();
  expect(problems).toEqual([]);
});

const PHONE = { width: 390, height: 844 };

test('no page is wider than a phone', async () => {
  await page.setViewportSize(PHONE);
  await page.goto(home);
  await page.getByRole('button', { name: 'Open navigation' }).click();
  const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').all();
  const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) {
    await visit(page, `${home}${path ?? ''}`);
    const main = await page.locator('main').evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));
    expect({ path, ...main }).toMatchObject({ scrollWidth: main.clientWidth });
  }
});

test('the current session is marked, and another one can be signed out', async () => {
  const other = await (await browser.newContext()).newPage();
  await signIn(other, service);
  await page.goto(`${home}/settings?part=account`);
  const sessions = page.getByRole('group', { name: 'Sessions' }).locator('tbody tr');
  await sessions.nth(1).waitFor();
  const own = sessions.filter({ hasText: '(this browser)' });
  expect([await sessions.count(), await own.count()]).toEqual([2, 1]);
  await own.getByRole('button', { name: 'Sign out this browser' }).click();
  await page.getByRole('dialog', { name: 'Sign out?' }).getByText('sign in again').waitFor();
  await page.keyboard.press('Escape');
  await sessions
    .filter({ hasNotText: '(this browser)' })
    .getByRole('button', { name: /^Sign out Chrome/ })
    .click();
  await page.getByRole('button', { name: 'Sign out browser' }).click();
  await other.getByLabel('Email').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await sessions.count()).toBe(1);
  await other.context().close();
});

test('a password change keeps the page open and signs out every other browser', async () => {
  const other = await (await browser.newContext()).newPage();
  await signIn(other, service);
  await page.goto(`${home}/settings?part=account`);
  await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' });
  const passwords = ['correct horse battery', 'another horse battery'];
  for (const [current, next] of [passwords, passwords.toReversed()]) {
    await page.getByRole('textbox', { name: 'Current password' }).fill(current ?? '');
    await page.getByRole('textbox', { name: 'New password' }).fill(next ?? '');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed. Other browsers are signed out.').waitFor();
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByRole('group', { name: 'Members' }).waitFor();
    await page.getByRole('tab', { name: 'Your account' }).click();
  }
  await other.getByLabel('Email').waitFor();
  await other.context().close();
  expect(new URL(page.url()).pathname).toBe('/settings');
});

/** Records whether the page ever shows that live updates are paused. */
const WATCH_LIVE = `new MutationObserver(() => {
  if (document.body.textContent.includes('Live updates paused')) document.body.dataset.wentOff = 'yes';
}).observe(document.body, { subtree: true, childList: true, characterData: true })`;

test('live updates continue immediately after a password change, also in another tab', async () => {
  const tabs = [page, await context.newPage()];
  for (const tab of tabs) {
    await tab.goto(`${home}/settings?part=account`);
    await tab.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' });
    await tab.evaluate(`${WATCH_LIVE}; undefined`);
  }
  const listening = tabs.map((tab) =>
    tab.waitForResponse((answer) => new URL(answer.url()).pathname === '/api/live' && answer.ok()),
  );
  await page.getByRole('textbox', { name: 'Current password' }).fill('correct horse battery');
  await page.getByRole('textbox', { name: 'New password' }).fill('another horse battery');
  await page.getByRole('button', { name: 'Change password' }).click();
  await Promise.all(listening);
  await page.getByText('Password changed. Other browsers are signed out.').waitFor();
  expect(await page.evaluate('document.body.dataset.wentOff')).toBeUndefined();
  expect(tabs.map((tab) => new URL(tab.url()).pathname)).toEqual(['/settings', '/settings']);
});
