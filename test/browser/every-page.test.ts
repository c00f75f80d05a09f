import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../service.ts';
import { audit } from './audit.ts';
import { openBrowser, watchTrouble } from './browser.ts';
import { startDemo } from './demo.ts';
import { ENTRANCE_PATHS, firstRow, open, PLACES, ROW_PLACES } from './places.ts';
import { walk } from './reach.ts';
import { signUp } from './sign-up.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

interface Started {
  /** Has the page signed in; the address of the service. */
  enter(page: Page): Promise<string>;
  close(): Promise<void>;
}

const WAYS: readonly (readonly [string, () => Promise<Started>])[] = [
  ['with data', startFull],
  ['empty', startEmpty],
];

async function startFull(): Promise<Started> {
  const demo = await startDemo();
  return { enter: async () => demo.home, close: () => demo.close() };
}

async function startEmpty(): Promise<Started> {
  const service = await startService({ urls: {} });
  return { enter: (page) => signUp(page, service), close: () => service.close() };
}

describe.each(WAYS)('%s', (way, start) => {
  let service: Started;
  let page: Page;
  let home: string;
  let trouble: string[];
  beforeAll(async () => {
    service = await start();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
    trouble = watchTrouble(page);
    home = await service.enter(page);
  });
  afterAll(async () => {
    await page.close();
    await service.close();
  });

  /** A visit is dear: whatever is looked at on one page is looked at in one. */
  async function findings(address: string): Promise<string[]> {
    await open(page, address);
    const unreached = way === 'with data' ? await walk(page) : [];
    return [...unreached, ...(await audit(page)), ...trouble.splice(0)];
  }

  test.each(PLACES)('%s shuts nobody out, in light and dark and by keyboard, and breaks nothing', async (place) => {
    expect(await findings(home + place)).toEqual([]);
  });

  test.runIf(way === 'with data').each(ROW_PLACES)('nor does the page of one of %s%s', async (list, rest) => {
    const row = await firstRow(page, home, list);
    expect(row).not.toBeNull();
    expect(await findings(home + row + rest)).toEqual([]);
  });

  test.runIf(way === 'with data').each([
    ['/keys', 'Edit'],
    ['/keys', 'Replace provider key'],
    ['/keys', 'Revoke'],
    ['/limits', 'Raise for a while'],
    ['/limits', 'Remove'],
    ['/webhooks', 'New secret'],
  ])(
    'on the page of one of %s, the dialog of "%s" opens by Enter, closes by Escape and gives the focus back',
    async (list, deed) => {
      await open(page, home + (await firstRow(page, home, list)));
      const button = page.getByRole('button', { name: deed, exact: true });
      await button.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.locator('button:focus').innerText()).toBe(deed);
    },
  );
});

describe('without a session', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ urls: {} });
  });
  afterAll(() => service.close());

  test.each(ENTRANCE_PATHS)('%s shuts nobody out and breaks nothing', async (path) => {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    const trouble = watchTrouble(page);
    await open(page, service.baseUrl + path);
    expect([...(await walk(page)), ...(await audit(page)), ...trouble]).toEqual([]);
    await context.close();
  });
});

test('the check sees a button without a name, and text that is too pale in the dark', async () => {
  const page = await browser.newPage();
  const pale = '<style>[data-mantine-color-scheme=dark] { background: #111; color: #333 }</style>';
  await page.setContent(`<title>Bad</title>${pale}<main><button></button><p>Pale</p></main>`);
  await page.evaluate(`matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => mark(matches));
    function mark(dark) { document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light' }
    mark(false)`);
  const found = await audit(page);
  expect(found).toEqual(expect.arrayContaining([expect.stringMatching(/^light: button-name/)]));
  expect(found).toEqual(expect.arrayContaining([expect.stringMatching(/^dark: color-contrast/)]));
  await page.close();
});

test('the walk sees what has no mark of its focus, and what Tab does not come to', async () => {
  const page = await browser.newPage();
  await page.setContent(
    '<button style="outline: none">Bare</button><button>Good</button><a href="#" id="lost">Lost</a>',
  );
  await page.evaluate(`lost.addEventListener('focus', () => document.querySelector('button').focus())`);
  expect(await walk(page)).toEqual([
    expect.stringMatching(/^not reached: .*Lost/),
    expect.stringMatching(/^focus not seen: .*Bare/),
  ]);
  await page.close();
});
