// How long pages take over a large book: `node bench/dashboard.ts --data FOLDER [--rounds 5] [--write]`. FOLDER is a data
// folder whose `ledger.db` came from `bench/reports.ts --dir`; its owner is made at the first run.
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { openBrowser } from '../test/browser/browser.ts';
import { PLACES } from '../test/browser/places.ts';
import { signIn, signUp } from '../test/browser/sign-up.ts';
import { startService } from '../test/service.ts';
import { machine, median, table, writeIntoPage } from './page.ts';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    write: { type: 'boolean', default: false },
  },
});
if (options.data === undefined) throw new Error('Name the data folder: --data FOLDER.');

/** Nothing has changed and nothing is asked for this long: the page is complete. */
const QUIET_MS = 250;
const WAIT_MS_MAX = 60_000;

/** Notes when the page last changed, when it first showed something useful, and when somebody last touched it. */
const WATCH = `(() => {
  const noted = (globalThis.noted = { changed: 0, useful: null, touched: 0 });
  new MutationObserver(() => {
    noted.changed = performance.now();
    const main = document.querySelector('main');
    if (noted.useful === null && main?.querySelector('h1') && main.innerText.length > 40 && !/Reading the book/.test(main.innerText))
      noted.useful = noted.changed;
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  for (const kind of ['pointerdown', 'keydown', 'input'])
    addEventListener(kind, () => { noted.touched ||= performance.now(); }, { capture: true });
})()`;

interface Noted {
  readonly changed: number;
  readonly useful: number | null;
  readonly touched: number;
  readonly now: number;
}

const shiftMs = endOfLedger(join(options.data, 'ledger.db')) - Date.now();
const clock = new URL('shifted-clock.mjs', import.meta.url);
const browser = await openBrowser();
const env = { NODE_OPTIONS: `--import ${clock.href}`, CLOCK_SHIFT_MS: String(shiftMs) };
const service = await startService({ urls: {}, dataDir: options.data, env });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
const underWay = watchRequests(page);
await page.addInitScript(WATCH);
await page.addInitScript(
  readFileSync(clock, 'utf8').replace(/import .*/, `const env = { CLOCK_SHIFT_MS: ${shiftMs} };`),
);
const home = /\/claim#/.test(service.output()) ? await signUp(page, service) : await signIn(page, service);

const rows: string[][] = [];
try {
  for (const place of PLACES) rows.push(await measure(place, () => paint(place)));
  for (const [name, prepare, touch] of interactions()) rows.push(await measure(name, () => respond(prepare, touch)));
} finally {
  await browser.close();
  await service.close();
}
const text = [
  table(['', 'median', 'slowest'], rows),
  `Pages from the request to the first useful paint, then touches from the event to the last change they make. ` +
    `${options.rounds} rounds, load ${loadavg()[0]?.toFixed(1)}; ${machine()}.`,
].join('\n\n');
process.stdout.write(`${text}\n`);
if (options.write) writeIntoPage('dashboard', text);

async function measure(name: string, once: () => Promise<number>): Promise<string[]> {
  const times: number[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) times.push(await once());
  const row = [name, `${median(times).toFixed(0)} ms`, `${Math.max(...times).toFixed(0)} ms`];
  process.stderr.write(`${row.join(' ')}\n`);
  return row;
}

/** A page by its address, with what the browser keeps of the build. */
async function paint(place: string): Promise<number> {
  await page.goto(home + place, { waitUntil: 'commit' });
  const { useful } = await quiet((noted) => noted.useful !== null);
  return useful ?? Number.NaN;
}

/** From the touch to the last change after it. */
async function respond(prepare: string, touch: () => Promise<unknown>): Promise<number> {
  await page.goto(home + prepare, { waitUntil: 'commit' });
  await quiet((noted) => noted.useful !== null);
  await page.evaluate('noted.touched = 0');
  await touch();
  const { changed, touched } = await quiet((noted) => noted.touched > 0);
  return changed - touched;
}

type Interaction = readonly [name: string, prepare: string, touch: () => Promise<unknown>];

function interactions(): readonly Interaction[] {
  const select = (label: string, value: string) => () =>
    page.getByLabel(label, { exact: true }).first().selectOption(value);
  const link = (name: string) => () => page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  return [
    ['from Overview to Explore', '/', link('Explore')],
    ['from Overview to Calls', '/', link('Calls')],
    ['Explore: another period', '/explore', select('Period', '7d')],
    ['Explore: another dimension', '/explore', select('Group by', 'key')],
    ['Explore: by a tag', '/explore', select('Group by', 'tag:team')],
    ['Explore: another figure', '/explore', select('Show', 'tokens')],
    ['Explore: the period before', '/explore', () => page.getByLabel('Period before').click()],
    [
      'Explore: a filter is left out',
      '/explore?provider=openai',
      () => page.getByLabel('Remove the filter').first().click(),
    ],
    [
      'Explore: from a figure to its calls',
      '/explore',
      async () => {
        await page.getByText('Show as table').click();
        await quiet(() => true);
        await page.evaluate('noted.touched = 0');
        await page.locator('main figure table button').last().click();
      },
    ],
    ['Calls: failed ones only', '/calls', select('Which calls', 'failed')],
    ['Calls: of one provider', '/calls', filterBy('openai')],
    ['Calls: older ones', '/calls', () => page.getByRole('button', { name: 'Older' }).click()],
    ['Calls: sorted by cost', '/calls', () => page.getByRole('button', { name: 'Cost' }).click()],
    ['Calls: one is opened', '/calls', () => page.locator('tbody a').first().click()],
    ['Prices: sorted', '/prices', () => page.locator('th button').first().click()],
  ];
}

/** Makes the last days of the ledger the current days. */
function endOfLedger(file: string): number {
  const ledger = new DatabaseSync(file, { readOnly: true });
  const { last } = ledger.prepare('SELECT max(started_at) AS last FROM entries').get() as { last: number };
  ledger.close();
  return last;
}

/** The form is filled beforehand, so that only what its button does is timed. */
function filterBy(provider: string): () => Promise<unknown> {
  return async () => {
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('What to filter').selectOption('provider');
    await page.getByLabel('Value', { exact: true }).fill(provider);
    await quiet(() => true);
    await page.evaluate('noted.touched = 0');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
  };
}

/** What was noted, once nothing has moved for a while and it is as wanted. */
async function quiet(wanted: (noted: Noted) => boolean): Promise<Noted> {
  const deadline = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const noted = await page.evaluate<Noted>('({ ...noted, now: performance.now() })').catch(() => null);
    if (noted && underWay.size === 0 && noted.now - noted.changed > QUIET_MS && wanted(noted)) return noted;
    if (Date.now() > deadline) throw new Error(`${page.url()} does not come to rest: ${[...underWay].join(' ')}`);
    await setTimeout(QUIET_MS / 5);
  }
}

/** What is asked and not answered; the stream of live events never is. */
function watchRequests(of: Page): ReadonlySet<string> {
  const asked = new Set<string>();
  of.on('request', (request) => {
    if (!request.url().includes('/api/live')) asked.add(request.url());
  });
  of.on('requestfinished', (request) => void asked.delete(request.url()));
  of.on('requestfailed', (request) => void asked.delete(request.url()));
  return asked;
}
