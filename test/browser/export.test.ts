import { readFile } from 'node:fs/promises';
import type { Browser, Download, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { BODIES, PATHS } from '../e2e/bad/bad-request.ts';
import { type Service, startService } from '../service.ts';
import { openBrowser } from './browser.ts';
import { signUp } from './sign-up.ts';

/** The dashboard may have to be built first. */
const OPEN_MS_MAX = 180_000;

let browser: Browser;
let double: ProviderDouble;
let service: Service;
let page: Page;
let home: string;
let saved: Download[];

beforeAll(async () => {
  browser = await openBrowser();
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
  const headers = { 'x-api-key': await service.createKey('anthropic') };
  const answer = await fetch(service.baseUrl + PATHS.anthropic, { method: 'POST', headers, body: BODIES.anthropic });
  await answer.text();
  page = await browser.newPage();
  page.on('download', (download) => saved.push(download));
  home = await signUp(page, service);
}, OPEN_MS_MAX);
afterAll(async () => {
  await browser.close();
  await service.close();
  await double.close();
});
beforeEach(async () => {
  saved = [];
  await page.goto(`${home}/explore`);
});

async function exportAs(format: string): Promise<void> {
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: format }).click();
}

test('an export is streamed to the disk, not through the memory of the page', async () => {
  const begun = page.waitForEvent('download');
  await exportAs('JSON Lines');
  const download = await begun;
  const { origin, pathname, searchParams } = new URL(download.url());
  expect([origin, pathname]).toEqual([home, '/api/manage/export']);
  expect(searchParams.get('workspace')).toBe('ws_default');
  expect(download.suggestedFilename()).toBe('tollbook-ws_default.jsonl');
  const [line, ...others] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
  expect(others).toEqual([]);
  expect(JSON.parse(line ?? '')).toMatchObject({ provider: 'anthropic', keyId: expect.any(String) as string });
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('a refused export shows its error and saves nothing', async () => {
  const error = 'Take a shorter period.';
  await page.route('**/api/manage/export?*', (route) =>
    route.fulfill({ status: 422, json: { error, type: 'unprocessable' } }),
  );
  await exportAs('CSV (spreadsheets)');
  const dialog = page.getByRole('dialog', { name: 'Export failed' });
  await dialog.getByText(error).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.unroute('**/api/manage/export?*');
  await page.route('**/api/manage/export?*', (route) => route.abort());
  await exportAs('CSV (spreadsheets)');
  await dialog.getByText('Tollbook is not responding.').waitFor();
  await page.unroute('**/api/manage/export?*');
  expect(saved).toEqual([]);
});
