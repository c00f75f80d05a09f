import fc from 'fast-check';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostileNotices } from '../../src/notifications/destinations/contract/notices.ts';
import { email } from '../../src/notifications/destinations/email.ts';
import { openBrowser } from './browser.ts';
import { FORMULA, MARKUP } from './hostile-data.ts';

// A mail reader may be a browser that runs scripts and has no policy of ours.

const MAILS = 40;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const FOUND = `[
  ...(globalThis.broken === undefined ? [] : ['text ran']),
  ...[...document.querySelectorAll('*')].filter((it) =>
    !['HTML', 'HEAD', 'BODY', 'DIV', 'H2', 'P', 'TABLE', 'TBODY', 'TR', 'TH', 'TD', 'A', 'SMALL'].includes(it.tagName) ||
    [...it.attributes].some(({ name }) => name.startsWith('on')) || (it.href ?? 'https://tollbook.example.com/').indexOf('https://tollbook.example.com/') !== 0
  ).map((it) => it.outerHTML.slice(0, 200)),
]`;

test('foreign text in a mail is escaped, runs nothing and requests nothing', async () => {
  const page = await browser.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('dialog', (dialog) => {
    asked.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const drawn = fc.sample(hostileNotices, { numRuns: MAILS, seed: 7 });
  const written = drawn.map((notice) => ({ ...notice, title: MARKUP, facts: [{ name: MARKUP, value: FORMULA }] }));
  for (const notice of [...drawn, ...written.slice(0, 5)]) {
    const mail = email.message(notice, { url: 'mailto:ops@example.com', secrets: [] }, 0);
    if (mail.via !== 'mail') throw new Error('This is no mail.');
    await page.setContent(mail.html);
    expect(await page.evaluate<string[]>(FOUND)).toEqual([]);
  }
  expect(await page.locator('h2').innerText()).toContain('<script>');
  expect(asked).toEqual([]);
});
