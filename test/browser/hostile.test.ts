import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { type Receiver, startReceiver } from '../doubles/receiver.ts';
import { type Service, startService } from '../service.ts';
import { openBrowser, watchTrouble } from './browser.ts';
import { asker, fillHostile, FORMULA, MARKUP } from './hostile-book.ts';
import { firstRow, LISTS, open, PLACES } from './places.ts';
import { makeAccount, signUp } from './sign-up.ts';

let browser: Browser;
let double: ProviderDouble;
let receiver: Receiver;
let service: Service;
let page: Page;
let home: string;
let trouble: string[];
let invitation: string;

beforeAll(async () => {
  [browser, double, receiver] = await Promise.all([openBrowser(), startProviderDouble(), startReceiver()]);
  service = await startService({ urls: double.urls, env: { SVC_WEBHOOK_ALLOW: '127.0.0.0/8' } });
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  trouble = watchTrouble(page);
  home = await signUp(page, service);
  const ask = asker(page);
  await fillHostile(ask, service, double, receiver);
  invitation = ((await ask('POST', '/api/manage/invitations', { role: 'viewer' })) as { link: string }).link;
});
afterAll(async () => {
  await browser.close();
  await service.close();
  await Promise.all([receiver.close(), double.close()]);
});

/** What text did that became more than text, and what it pushed out of the page. */
const BROKEN = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const wider = document.documentElement.scrollWidth - innerWidth;
  const widest = all('main *').toSorted((a, b) => b.getBoundingClientRect().right - a.getBoundingClientRect().right)[0];
  return [
    ...(globalThis.broken === undefined ? [] : ['text ran']),
    ...all('script:not([src]), img:not([src="/favicon.svg"]), [href^="javascript:" i]').map((it) => it.outerHTML),
    ...(wider > 0 ? [wider + ' px too wide: ' + widest.outerHTML.slice(0, 300)] : []),
  ];
})()`;

/** All places, and the page of one row of each list. */
async function everyAddress(of: Page): Promise<string[]> {
  const rows: string[] = [];
  for (const list of LISTS) rows.push((await firstRow(of, home, list)) ?? `no row at ${list}`);
  return [...PLACES, '/explore?by=tag:team', '/explore?by=key', '/explore?by=model', ...rows];
}

test('whatever people and programs wrote shows as text, runs nothing, asks for nothing and keeps within the page', async () => {
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
  for (const address of await everyAddress(page)) {
    await open(page, home + address);
    if ((await page.getByText('<img src=x').count()) > 0) seen += 1;
    const found = await page.evaluate<string[]>(BROKEN);
    broken.push(...found.map((what) => `${address}: ${what}`));
  }
  expect(broken).toEqual([]);
  expect(seen).toBeGreaterThan(8);
  expect(strangers).toEqual([]);
  expect(trouble).toEqual([]);
});

test('what is downloaded as CSV begins no formula', async () => {
  await open(page, `${home}/explore`);
  await page.getByRole('button', { name: 'Export' }).click();
  const waited = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /CSV/ }).click();
  const text = await readFile(await (await waited).path(), 'utf8');
  expect(text).toContain(FORMULA.slice(1, 12));
  expect(text).toContain(MARKUP.slice(2, 10));
  for (const cell of text.split(/\r?\n/).flatMap((line) => line.split(','))) expect(cell).not.toMatch(/^"?[=+@\t]/);
});

/** What only looks, or concerns nobody but whoever does it. */
const READING =
  /^(Filter|Find|Export|Before|After|Older|Newest|Copy\s.*|curl|Python|TypeScript|Claude Code|Codex|Change password|Members|Workspace|Your account|Preview the weekly digest|Show all \d+ prices|)$/;

describe('a viewer', () => {
  let context: BrowserContext;
  let theirs: Page;
  beforeAll(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    theirs = await context.newPage();
    await theirs.goto(invitation);
    await makeAccount(theirs, 'Vera', 'vera@example.com', 'Make my account and join');
  });

  test('is offered nothing that changes anything, and no page of theirs tries to', async () => {
    const changes: string[] = [];
    theirs.on('request', (request) => {
      if (request.method() !== 'GET') changes.push(`${request.method()} ${request.url()}`);
    });
    const offered: string[] = [];
    for (const address of await everyAddress(theirs)) {
      await open(theirs, home + address);
      const deeds = theirs.locator(
        'main button:not(th button):not(figure button), main a[href$="/new"], main a[href$="/edit"]',
      );
      for (const name of await deeds.allInnerTexts())
        if (!READING.test(name.trim())) offered.push(`${address}: ${name}`);
    }
    expect(offered).toEqual([]);
    expect(changes).toEqual([]);
  });
});
