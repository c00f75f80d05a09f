import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../service.ts';
import { audit } from './audit.ts';
import { openBrowser, watchProblems } from './browser.ts';
import { startDemo } from './demo.ts';
import { SIGNED_OUT_PATHS, firstRow, hideRepeated, open, PLACES, ROW_PLACES, visit } from './places.ts';
import { walk } from './reach.ts';
import { signUp } from './sign-up.ts';

/** `npm run every-page` loads each page from its address and checks all of it, with the frame and every row of a table. */
const WHOLE = process.env['TEST_PAGES_WHOLE'] !== undefined;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** Pages, or the first row of a list, with the button of a dialog. */
const DIALOGS = [
  ['/keys/first', 'Edit'],
  ['/keys/first', 'Replace provider key'],
  ['/keys/first', 'Revoke'],
  ['/keys/first', 'Edit policy'],
  ['/keys/first', 'Edit budgets'],
  ['/limits/first', 'Raise temporarily'],
  ['/limits/first', 'Delete'],
  ['/webhooks/first', 'Create new secret'],
  ['/alerts/first', 'Mute'],
  ['/prices', 'Set price'],
  ['/prices', 'Add contract'],
  ['/reports', 'Connect organization'],
  ['/savings', 'Add subscription'],
  ['/settings?part=members', 'Create invite link'],
  ['/settings?part=tokens', 'Create token'],
] as const;

interface Started {
  /** Signs the page in and returns the address of the service. */
  enter(page: Page): Promise<string>;
  close(): Promise<void>;
}

/** Pages that look the same with and without data. */
const ALWAYS_SAME = /\/new$|^\/help|^\/settings|^\/session$/;

const WAYS: readonly (readonly [string, readonly string[], () => Promise<Started>])[] = [
  ['with data', PLACES, startFull],
  ['empty', PLACES.filter((place) => !ALWAYS_SAME.test(place)), startEmpty],
];

async function startFull(): Promise<Started> {
  const demo = await startDemo();
  return { enter: async () => demo.home, close: () => demo.close() };
}

async function startEmpty(): Promise<Started> {
  const service = await startService({ urls: {} });
  return { enter: (page) => signUp(page, service), close: () => service.close() };
}

describe.each(WAYS)('%s', (way, places, start) => {
  let service: Started;
  let page: Page;
  let home: string;
  let problems: string[];
  beforeAll(async () => {
    service = await start();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
    problems = watchProblems(page);
    home = await service.enter(page);
  });
  afterAll(async () => {
    await page.close();
    await service.close();
  });

  const found = new Map<string, string | null>();
  async function rowOf(list: string): Promise<string | null> {
    if (!found.has(list)) found.set(list, await firstRow(page, home, list));
    return found.get(list) ?? null;
  }

  /** Runs all checks in one visit, because a visit is slow. The first page is checked with its frame. */
  async function findings(address: string): Promise<string[]> {
    const isEmpty = way === 'empty';
    const isWhole = WHOLE || address === `${home}/`;
    await (isWhole ? open : visit)(page, address);
    if (!isWhole) await hideRepeated(page);
    return [...(isEmpty ? [] : await walk(page)), ...(await audit(page)), ...problems.splice(0)];
  }

  test.each(places)('%s is accessible in light and dark and by keyboard, and has no errors', async (place) => {
    expect(await findings(home + place)).toEqual([]);
  });

  test.runIf(way === 'with data').each(ROW_PLACES)(
    'the page of one of %s%s is accessible and has no errors',
    async (list, rest) => {
      const row = await rowOf(list);
      expect(row).not.toBeNull();
      expect(await findings(home + row + rest)).toEqual([]);
    },
  );

  test.runIf(way === 'with data').each(DIALOGS)(
    'on %s, the dialog "%s" is accessible, opens with Enter, closes with Escape and returns the focus',
    async (place, action) => {
      const address = home + (place.endsWith('/first') ? await rowOf(place.slice(0, -6)) : place);
      if (page.url() !== address) await visit(page, address);
      const button = page.getByRole('main').getByRole('button', { name: action, exact: true }).first();
      await button.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      expect([...(await audit(page, 'dialog[open]')), ...problems.splice(0)]).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect((await page.locator('button:focus').innerText()).trim()).toBe(action);
    },
  );

  test.runIf(way === 'with data').each(['Time zone', 'Appearance'])('the menu "%s" is accessible', async (name) => {
    await open(page, `${home}/keys`);
    await page.getByRole('button', { name }).click();
    await page.getByRole('menu').waitFor();
    expect([...(await audit(page, '[role=menu]')), ...problems.splice(0)]).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test.runIf(way === 'with data')(
    'with reduced motion, a change of the color scheme starts no transition',
    async () => {
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await open(page, `${home}/keys`);
      await page.evaluate(`globalThis.started = 0; addEventListener('transitionrun', () => { started += 1; })`);
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' });
      await page.evaluate(`new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))`);
      expect(await page.evaluate('started')).toBe(0);
    },
  );

  test.runIf(way === 'with data')(
    'the command palette finds pages and actions, is accessible, and runs what the arrow keys choose',
    async () => {
      await open(page, `${home}/keys`);
      await page.keyboard.press('/');
      await page.getByRole('combobox').pressSequentially('lim');
      await page.getByRole('option', { name: 'Limits' }).waitFor();
      expect([...(await audit(page, 'dialog[open]')), ...problems.splice(0)]).toEqual([]);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/limits/new');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Go to' }).fill('limits');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/limits');
      await page.keyboard.press('Shift+?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      expect([...(await audit(page, 'dialog[open]')), ...problems.splice(0)]).toEqual([]);
      await page.keyboard.press('Escape');
    },
  );

  test.runIf(way === 'with data')('the command palette finds keys, limits, models, people and calls', async () => {
    await open(page, `${home}/keys`);
    for (const [words, option, address] of [
      ['support assis', 'Support assistant', '**/keys/key_*'],
      ['monthly', 'Monthly budget', '**/limits/lim_*'],
      ['opus-4-8', /^claude-opus-4-8$/, '**/explore?model=claude-opus-4-8'],
      ['ben', 'Ben Okafor', '**/assistants?**'],
      ['last 90', 'Last 90 days', '**/assistants?**range=90d**'],
      ['call_01unknown', 'Call call_01unknown', '**/calls/call_01unknown'],
    ] as const) {
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: 'Go to' });
      await field.fill(words);
      await page.getByRole('dialog').getByRole('option', { name: option }).click();
      await page.waitForURL(address);
    }
    expect(problems.splice(0).filter((text) => !text.includes('404'))).toEqual([]);
  });

  test.runIf(way === 'with data')('the form of a filter offers values and is accessible', async () => {
    await open(page, `${home}/explore`);
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('combobox', { name: 'Value' }).fill('claude');
    const option = page.getByRole('listbox').getByRole('option').first();
    await option.waitFor();
    expect([...(await audit(page)), ...problems.splice(0)]).toEqual([]);
    const model = await option.innerText();
    await option.click();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL((url) => url.searchParams.get('model') === model);
  });
});

describe('without a session', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ urls: {} });
  });
  afterAll(() => service.close());

  test.each(SIGNED_OUT_PATHS)('%s is accessible and has no errors', async (path) => {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    const problems = watchProblems(page);
    await open(page, service.baseUrl + path);
    expect([...(await walk(page)), ...(await audit(page)), ...problems]).toEqual([]);
    await context.close();
  });
});

test('the audit finds a button without a name, and low contrast in dark mode', async () => {
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

test('the audit ends although colors in a closed section never finish their change', async () => {
  const page = await browser.newPage();
  const fading =
    'input { transition: color 1s } [data-mantine-color-scheme=dark] input { color: #fff; background: #000 }';
  const closed = '<details><summary>Advanced</summary><input aria-label="Region"></details>';
  await page.setContent(`<html lang="en"><title>Closed</title><style>${fading}</style><main>${closed}</main></html>`);
  // Reading a style starts a transition even where nothing is drawn.
  await page.evaluate(`matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => mark(matches));
    function mark(dark) {
      document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light';
      return getComputedStyle(document.querySelector('input')).color;
    }
    mark(false)`);
  expect(await audit(page)).toEqual([]);
  await page.close();
});

test('the walk finds elements without a visible focus, and elements that Tab does not reach', async () => {
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
