import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { type Receiver, startReceiver } from '../doubles/receiver.ts';
import { type Service, startService } from '../service.ts';
import { openBrowser, watchProblems } from './browser.ts';
import { asker, fillHostile, FORMULA, LONG, MARKUP } from './hostile-data.ts';
import { firstRow, open, PLACES, ROW_PLACES, visit } from './places.ts';
import { makeAccount, signUp } from './sign-up.ts';

let browser: Browser;
let double: ProviderDouble;
let receiver: Receiver;
let service: Service;
let page: Page;
let home: string;
let problems: string[];
let ask: ReturnType<typeof asker>;
/** Pages of one row of each list. */
let rows: readonly string[];

beforeAll(async () => {
  [browser, double, receiver] = await Promise.all([openBrowser(), startProviderDouble(), startReceiver()]);
  service = await startService({ urls: double.urls, env: { SVC_WEBHOOK_ALLOW: '127.0.0.0/8' } });
  page = await browser.newPage({ viewport: DESK });
  problems = watchProblems(page);
  home = await signUp(page, service);
  ask = asker(page);
  await fillHostile(ask, service, double, receiver);
  rows = await rowPages(page);
});
afterAll(async () => {
  await browser.close();
  await service.close();
  await Promise.all([receiver.close(), double.close()]);
});

const DESK = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Finds text that ran as code, text cut within a row, and content wider than the page. */
const BROKEN = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const wider = document.documentElement.scrollWidth - innerWidth;
  const right = (it) => it.getBoundingClientRect().right;
  const widest = () => all('main *').reduce((a, b) => (right(b) > right(a) ? b : a));
  return [
    ...(globalThis.broken === undefined ? [] : ['text ran']),
    ...all('script:not([src]), img:not([src="/favicon.svg"]), [href^="javascript:" i]').map((it) => it.outerHTML),
    ...all('td *')
      .filter((it) => it.scrollWidth > it.clientWidth + 1 && ['hidden', 'clip'].includes(getComputedStyle(it).overflowX))
      .filter((it) => !it.matches('.visually-hidden') && !it.closest('[title]'))
      .map((it) => 'cut: ' + it.outerHTML.slice(0, 300)),
    ...all(['Keys', 'Members', 'Limits', 'Changes since yesterday'].map((it) => '[aria-label="' + it + '"]'))
      .filter((it) => it.querySelector('table') && it.scrollWidth > it.clientWidth)
      .map((it) => it.ariaLabel + ' do not fit: ' + it.scrollWidth + ' px in ' + it.clientWidth),
    ...(wider > 0 ? [wider + ' px too wide: ' + widest().outerHTML.slice(0, 300)] : []),
  ];
})()`;

async function rowPages(of: Page): Promise<string[]> {
  const pages: string[] = [];
  for (const [list, rest] of ROW_PLACES)
    pages.push(`${(await firstRow(of, home, list)) ?? `no row at ${list}`}${rest}`);
  return pages;
}

function everyAddress(): string[] {
  return [...PLACES, '/explore?by=tag:team', '/explore?by=key', '/explore?by=model', ...rows];
}

test('foreign text is escaped, runs nothing, requests nothing and fits the page', async () => {
  const strangers: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== home) strangers.push(request.url());
  });
  page.on('dialog', (dialog) => {
    strangers.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  let seen = 0;
  const broken: string[] = [];
  for (const address of everyAddress()) {
    await page.setViewportSize(PHONE);
    await visit(page, home + address);
    if ((await page.getByText('<img src=x').count()) > 0) seen += 1;
    // As they are opened on a phone, and as they grow.
    for (const size of [PHONE, DESK]) {
      await page.setViewportSize(size);
      const found = await page.evaluate<string[]>(BROKEN);
      broken.push(...found.map((what) => `${address}, ${size.width} px: ${what}`));
    }
  }
  expect(broken).toEqual([]);
  expect(seen).toBeGreaterThan(8);
  expect(strangers).toEqual([]);
  expect(problems).toEqual([]);
});

test('no cell of a CSV export starts a formula', async () => {
  await open(page, `${home}/explore`);
  await page.getByRole('button', { name: 'Export' }).click();
  const waited = page.waitForEvent('download');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.getByRole('menuitem', { name: 'CSV (spreadsheets)' }).click();
  const download = await waited;
  expect(download.suggestedFilename()).toBe('tollbook-ws_default.csv');
  expect(asked.filter((path) => path.endsWith('/export'))).toHaveLength(1);
  const text = await readFile(await download.path(), 'utf8');
  expect(text).toContain(FORMULA.slice(1, 12));
  expect(text).toContain(MARKUP.slice(2, 10));
  for (const cell of text.split(/\r?\n/).flatMap((line) => line.split(','))) expect(cell).not.toMatch(/^"?[=+@\t]/);
});

test('a refused export shows its error on the page and saves nothing', async () => {
  await open(page, `${home}/explore?source=nonsense`);
  const saved: string[] = [];
  page.on('download', (download) => saved.push(download.url()));
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'CSV (spreadsheets)' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export failed' });
  expect(await dialog.getByRole('alert').innerText()).toContain('source');
  expect(saved).toEqual([]);
});

test('a name that is too long is explained, and the typed text stays', async () => {
  await open(page, `${home}/keys`);
  await page.locator('main a[href^="/keys/key_"]').first().click();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
  await name.fill(LONG);
  await name.press('Enter');
  await page.getByRole('dialog').getByText('longer than 100 characters').waitFor();
  expect(await name.getAttribute('aria-invalid')).toBe('true');
  expect(await name.inputValue()).toBe(LONG);
  expect(await page.evaluate<string[]>(BROKEN)).toEqual([]);
});

/** Follows an invitation in a new browser context. */
async function join(link: string, name: string): Promise<Page> {
  const context = await browser.newContext({ viewport: DESK });
  const theirs = await context.newPage();
  await theirs.goto(link);
  await makeAccount(theirs, name, `${name.slice(0, 60)}@example.com`, 'Create account and join');
  return theirs;
}

async function invite(role: string): Promise<string> {
  return ((await ask('POST', '/api/manage/invitations', { role })) as { link: string }).link;
}

/** Actions that only read, or concern only the user. */
const READING =
  /^(Add filter|Find calls|Export|Previous|Next|Older|Newest|Copy\s.*|Display|Columns|curl|Python|TypeScript|Claude Code|Codex|Vercel AI SDK|LangChain|LiteLLM|OpenCode|aider|Change password|Save name|Sign out|Show more|Members|Workspace|Providers|Your account|Preview weekly digest|Show all \d+ prices|)$/;
/** Actions on own keys and tokens, and on alerts. */
const WORKING = /^(Create key|Cancel|Access tokens|Create token|Mark (\d+ )?as read|Choose a provider.*)$/;

/** Returns the offered actions that are not allowed. */
async function offeredBeside(
  theirs: Page,
  allowed: readonly RegExp[],
  where: (address: string) => boolean = () => true,
): Promise<string[]> {
  const offered: string[] = [];
  for (const address of everyAddress().filter(where)) {
    await visit(theirs, home + address);
    const deeds = theirs.locator(
      'main button:not(th button, figure button, [title^="Filter by"]), main a[href$="/new"], main a[href$="/edit"]',
    );
    for (const name of await deeds.allInnerTexts())
      if (!allowed.some((one) => one.test(name.trim()))) offered.push(`${address}: ${name}`);
  }
  return offered;
}

test('a viewer sees no action that changes data, sends no change, and a long name breaks no page', async () => {
  const theirs = await join(await invite('viewer'), LONG.slice(0, 100));
  const changes: string[] = [];
  theirs.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(`${request.method()} ${request.url()}`);
  });
  expect(await offeredBeside(theirs, [READING], (address) => !address.includes('?by='))).toEqual([]);
  expect(changes).toEqual([]);
  await theirs.setViewportSize(PHONE);
  await theirs.getByRole('button', { name: 'Account' }).click();
  await theirs.getByRole('menuitem', { name: 'Sign out', exact: true }).waitFor();
  expect(await theirs.evaluate<string[]>(BROKEN)).toEqual([]);
  await theirs.context().close();
});

test('a member can change own keys, own tokens and alerts, and nothing else', async () => {
  const theirs = await join(await invite('member'), 'Mira');
  // These pages change nothing.
  const isOnlyRead = (address: string): boolean => /^\/(explore|calls|prices|$)/.test(address);
  expect(await offeredBeside(theirs, [READING, WORKING], (address) => !isOnlyRead(address))).toEqual([]);
  await open(theirs, `${home}/alerts`);
  expect(await theirs.getByRole('button', { name: /as read/ }).count()).toBe(1);
  await open(theirs, `${home}/keys`);
  await theirs.getByRole('link', { name: 'Create key' }).waitFor();
  await theirs.context().close();
});

test('an admin can change everything except owners', async () => {
  const theirs = await join(await invite('admin'), 'Adam');
  await open(theirs, `${home}/settings?part=members`);
  const row = (name: string) => theirs.getByRole('group', { name: 'Members' }).locator('tbody tr', { hasText: name });
  expect(await row('Ada').first().locator('select, button').count()).toBe(0);
  const own = row('Adam').locator('select option');
  expect(await own.allInnerTexts()).toEqual(['viewer', 'member', 'admin']);
  await theirs.getByRole('button', { name: 'Create invite link' }).click();
  const roles = theirs.getByRole('dialog').getByRole('combobox', { name: 'Role' }).locator('option');
  expect(await roles.allInnerTexts()).toEqual(['viewer', 'member', 'admin']);
  await theirs.context().close();
});

/** What stands all over this workspace. */
const TELLING = ['globalThis', 'HYPERLINK', LONG.slice(0, 50), 'ada@example.com', 'Mira', 'ws_default'];

test('members of another workspace see nothing of this one, at any address', async () => {
  // Help is the same in every workspace.
  const hidden = rows.filter((address) => !address.startsWith('/help/'));
  const { id } = await service.command<{ id: string }>(['workspaces', 'create', 'another']);
  const invited = ['invitations', 'create', '--role', 'owner', '--workspace', id];
  const theirs = await join((await service.command<{ link: string }>(invited)).link, 'Thea');
  const leaks: string[] = [];
  for (const address of hidden) {
    await open(theirs, `${home}${address}?workspace=ws_default`);
    const text = await theirs.locator('main').innerText();
    if (!/There is no /.test(text)) leaks.push(`${address} does not say that there is none: ${text}`);
    leaks.push(...TELLING.filter((part) => text.includes(part)).map((part) => `${address} shows ${part}`));
  }
  for (const place of ['/', '/settings?part=members', '/settings?part=audit']) {
    await open(theirs, `${home}${place}${place.includes('?') ? '&' : '?'}workspace=ws_default`);
    const text = await theirs.locator('body').innerText();
    leaks.push(...TELLING.filter((part) => text.includes(part)).map((part) => `${place} shows ${part}`));
  }
  expect(leaks).toEqual([]);
  await theirs.context().close();
});
