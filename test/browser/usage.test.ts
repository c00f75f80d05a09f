import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { BODIES, PATHS } from '../e2e/bad/bad-request.ts';
import { eventually, type Service, startService } from '../service.ts';
import { audit } from './audit.ts';
import { openBrowser, watchProblems } from './browser.ts';
import { signUp } from './sign-up.ts';

const HOSTILE = '<img src=x onerror=document.title=1>"\'{{7*7}}';

/** The dashboard may have to be built first. */
const OPEN_MS_MAX = 180_000;

let browser: Browser;
let double: ProviderDouble;
let service: Service;
let key: string;
let page: Page;
let home: string;
let problems: string[];

beforeAll(async () => {
  browser = await openBrowser();
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
  key = await service.createKey('anthropic', { name: HOSTILE });
  page = await browser.newPage();
  problems = watchProblems(page);
  home = await signUp(page, service);
}, OPEN_MS_MAX);
afterAll(async () => {
  await browser.close();
  await service.close();
  await double.close();
});

/** Sends a call through the gateway and returns its ID. */
async function call(tag = HOSTILE, context: Readonly<Record<string, string>> = {}): Promise<string> {
  const headers = { 'x-api-key': key, 'x-svc-tag-team': tag, ...context };
  const answer = await fetch(service.baseUrl + PATHS.anthropic, { method: 'POST', headers, body: BODIES.anthropic });
  await answer.text();
  return answer.headers.get('x-svc-call-id') ?? '';
}

test('a new call appears in the list, and opens next to it with its cost, by keyboard too', async () => {
  await page.goto(`${home}/calls`);
  await page.getByText('Live', { exact: true }).first().waitFor();
  const id = await call();
  const link = page.locator(`a[href="/calls/${id}"]`);
  await link.waitFor();
  await link.focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('dialog', { name: 'Call' });
  const lines = panel.getByRole('group', { name: 'Price lines' });
  await lines.getByText('Input').waitFor();
  expect(await lines.textContent()).toMatch(/\$\d/);
  expect(await audit(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  expect(await page.locator('a:focus').getAttribute('href')).toBe(`/calls/${id}`);
});

test('a click on a row opens its call, J goes to the next, Back closes, and chosen columns stay', async () => {
  await page.goto(`${home}/calls`);
  const [id = '', older = ''] = [await call(), await call()].toReversed();
  const row = page.locator('tbody tr', { has: page.locator(`a[href="/calls/${id}"]`) });
  await row.locator('td').nth(1).click();
  const panel = page.getByRole('dialog', { name: 'Call' });
  await panel.getByRole('link', { name: id }).waitFor();
  await page.keyboard.press('j');
  await panel.getByRole('link', { name: older }).waitFor();
  await page.goBack();
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Session' }).check();
  await page.goto(`${home}/calls`);
  await page.getByRole('columnheader', { name: 'Session' }).waitFor();
  expect(await panel.count()).toBe(0);
});

test('the page of a session has its agents as a tree, reached from a call and from the list', async () => {
  await page.goto(`${home}/calls`);
  const session = { 'x-svc-session': HOSTILE };
  const id = await call('a', { ...session, 'x-svc-agent': 'child', 'x-svc-parent-agent': HOSTILE });
  await call('a', session);
  await page.locator(`a[href="/calls/${id}"]`).click();
  await page.getByRole('link', { name: HOSTILE, exact: true }).last().waitFor();
  await page.goto(`${home}/sessions`);
  await page.getByRole('group', { name: 'Sessions' }).getByRole('link', { name: HOSTILE, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Session', exact: true }).waitFor();
  const agents = page.getByRole('group', { name: 'Agents' });
  await agents.getByText('child').waitFor();
  expect((await agents.locator('tbody tr td:first-child').allInnerTexts()).map((text) => text.trim())).toEqual([
    'Main agent',
    HOSTILE,
    'child',
  ]);
  expect(await page.title()).not.toBe('1');
});

test.each(['/calls', '/explore?by=tag:team', '/explore?by=key', '/calls?tag=team%3D%3Cimg%20src%3Dx%3E'])(
  'text of clients and people is escaped (%s)',
  async (path) => {
    await call();
    await page.goto(home + path);
    await page.getByText('<img src=x').filter({ visible: true }).first().waitFor();
    expect(await page.locator('img:not([src="/favicon.svg"])').count()).toBe(0);
    expect(await page.title()).not.toBe('1');
    expect(problems).toEqual([]);
  },
);

test('a figure in the chart table opens its calls, and Back restores the view', async () => {
  await call('search');
  await page.goto(`${home}/explore?by=tag:team&show=calls`);
  await page.getByText('Show as table').click();
  await page
    .getByRole('group', { name: /, table$/ })
    .getByRole('link')
    .last()
    .click();
  await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
  expect(new URL(page.url()).searchParams.get('tag')).toMatch(/^team=/);
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Explore' }).waitFor();
  expect(new URL(page.url()).search).toBe('?by=tag:team&show=calls');
});

test('a value of the legend becomes a filter, a column shows its values, and Back undoes the filter', async () => {
  await Promise.all([call('search'), call('billing')]);
  await page.goto(`${home}/explore?by=tag:team&show=calls`);
  const chart = page.getByRole('slider', { name: /bar chart/ });
  await chart.focus();
  await page.keyboard.press('End');
  await page
    .getByRole('group', { name: /Today|\d{4}/ })
    .getByRole('link', { name: 'Calls of search' })
    .waitFor();
  await page.keyboard.press('Escape');
  await page.locator('figure li').getByRole('button', { name: 'search' }).click();
  await page.waitForURL(/tag=team/);
  expect(new URL(page.url()).pathname).toBe('/explore');
  await page.goBack();
  await page.locator('figure li').getByRole('button', { name: 'billing' }).waitFor();
  expect(new URL(page.url()).search).toBe('?by=tag:team&show=calls');
});

test('several values, left out values and pairs are views that a name brings back', async () => {
  await call('blue');
  await call('green');
  await page.goto(`${home}/explore?by=tag:team&tag=team%3Dblue&tag=team%3Dgreen`);
  const rows = page.getByRole('group', { name: 'Usage by value' });
  await page.getByText('team=blue or team=green').waitFor();
  for (const name of ['blue', 'green']) await rows.getByRole('button', { name, exact: true }).waitFor();
  await rows.getByRole('button', { name: 'Leave out green' }).click();
  await page.getByText('not team=green').waitFor();
  await rows.getByRole('button', { name: 'green', exact: true }).waitFor({ state: 'detached' });
  await page.getByLabel('Second group').selectOption('provider');
  await rows.getByRole('button', { name: /blue · / }).waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Blue only');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const saved = new URL(page.url()).search;
  await page.goto(`${home}/explore`);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Blue only' }).click();
  await rows.getByRole('button', { name: /blue · / }).waitFor();
  expect(new URL(page.url()).search).toBe(saved);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Table (CSV)' }).click();
  expect((await download).suggestedFilename()).toBe('usage.csv');
  expect(problems).toEqual([]);
});

test('a limit shows what its window used, its amount and each future hour as not yet known', async () => {
  const { id } = await service.command<{ id: string }>([
    'limits',
    'set',
    '--unit',
    'usd',
    '--amount',
    '5',
    '--window',
    'day',
  ]);
  await call('search');
  await page.goto(`${home}/limits/${id}`);
  await page.getByText('Limit $5.00', { exact: true }).waitFor();
  await page.getByText('Show as table').click();
  const hours = page.getByRole('group', { name: 'Used in this window, table' }).locator('tbody tr');
  expect(await hours.count()).toBe(24);
});

test('a used key shows the cost of its last 30 days, and a click continues in Explore', async () => {
  await call('search');
  await page.goto(`${home}/keys`);
  await page.getByRole('link', { name: HOSTILE }).first().click();
  await page.getByRole('heading', { name: 'Last 30 days' }).waitFor();
  await page.getByRole('link', { name: 'Explore', exact: true }).last().click();
  await page.waitForURL(/explore/);
  expect(new URL(page.url()).searchParams.get('key')).toMatch(/^key_/);
});

test('a long name is shown in full on a phone', async () => {
  const long = 'continuous-integration-of-the-applications-for-telephones-and-tablets-at-night';
  await Promise.all([call('search'), call(long)]);
  const size = page.viewportSize();
  await page.setViewportSize({ width: 375, height: 800 });
  await page.goto(`${home}/explore?by=tag:team&show=calls`);
  const name = page.locator('figure li').filter({ hasText: long }).getByText(long);
  const hidden = await name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(hidden).toBeLessThanOrEqual(0);
  if (size) await page.setViewportSize(size);
});

test('a call is found by its ID, and an unknown ID is reported', async () => {
  await page.goto(`${home}/calls`);
  const id = await call();
  await page.locator(`a[href="/calls/${id}"]`).waitFor();
  const field = page.getByRole('searchbox', { name: /ID of a call/ });
  await field.fill(id);
  await field.press('Enter');
  // Old rows stay until the response arrives.
  const count = (): Promise<number> => page.locator('tbody tr').count();
  expect(await eventually(count, (rows) => rows === 1)).toBe(1);
  await field.fill('call_nowhere');
  await field.press('Enter');
  await page.getByText('Call not found').waitFor();
});

test('after a session ends, sign-in returns to the same page', async () => {
  await page.context().clearCookies();
  await page.goto(`${home}/explore?range=7d&by=key`);
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('wrong horse battery');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Explore' }).waitFor();
  expect(new URL(page.url()).search).toBe('?range=7d&by=key');
});
