import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { type Receiver, startReceiver } from '../doubles/receiver.ts';
import { readCurl } from '../read-curl.ts';
import { eventually, type Service, startService } from '../service.ts';
import { openBrowser, watchProblems } from './browser.ts';
import { signUp } from './sign-up.ts';

let browser: Browser;
let double: ProviderDouble;
let receiver: Receiver;
let service: Service;
let page: Page;
let problems: string[];

beforeAll(async () => {
  [browser, double, receiver] = await Promise.all([openBrowser(), startProviderDouble(), startReceiver()]);
  service = await startService({ urls: double.urls, env: { SVC_WEBHOOK_ALLOW: '127.0.0.0/8' } });
  page = await browser.newPage();
  problems = watchProblems(page);
});
afterAll(async () => {
  await browser.close();
  await service.close();
  await Promise.all([receiver.close(), double.close()]);
});

/** Creates a key; returns the call of the curl example on the page. */
async function createKey(): Promise<() => Promise<Response>> {
  await page.getByRole('button', { name: 'Create key' }).click();

  await page.getByRole('radio', { name: 'Anthropic' }).check();
  const providerKey = page.getByRole('textbox', { name: 'Your Anthropic API key' });
  await providerKey.fill('  ');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('First program');
  await page.keyboard.press('Enter');
  // Spaces are not a key: the field is marked, and no request is sent.
  await page.locator('input[name=providerKey][aria-invalid=true]').waitFor();
  await providerKey.fill('sk-ant-of-the-newcomer');
  await page.getByRole('textbox', { name: 'Name', exact: true }).focus();
  // A double Enter creates one key and shows it.
  await Promise.all([page.keyboard.press('Enter'), page.keyboard.press('Enter')]);
  await page.getByText('Waiting for your first call').waitFor();
  const { url, init } = readCurl(await page.getByRole('group', { name: 'curl' }).innerText());
  return () => fetch(url, init);
}

async function setLimit(): Promise<void> {
  await page.getByRole('link', { name: 'Create limit' }).click();
  await page.getByLabel('Amount').fill('0');
  await page.getByText('An amount of 0 refuses every call in scope.').waitFor();
  await page.getByLabel('Amount').fill('2');
  await page.getByLabel('Unit', { exact: true }).selectOption('calls');
  await page.getByLabel('Window', { exact: true }).selectOption('day');
  await page.getByText('Advanced').click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Two a day');
  await page.getByRole('button', { name: 'Create limit' }).click();
  await page.getByRole('heading', { level: 1, name: 'Two a day' }).waitFor();
}

async function addWebhook(): Promise<void> {
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('link', { name: 'Add webhook' }).first().click();
  await page.getByRole('radio', { name: /Custom HTTP/ }).check();
  await page.getByRole('textbox', { name: /Address/ }).fill(`${receiver.url}/hook`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('My program');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByRole('link', { name: 'View webhook' }).click();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.locator('[data-good=true]').waitFor();
}

test('a new user gets from an empty folder to the first call, a working limit and an alert, all in the browser', async () => {
  await signUp(page, service);
  const call = await createKey();
  expect((await call()).status).toBe(200);
  await page.getByText('Call recorded.').waitFor();

  await setLimit();
  const limitPage = page.url();
  await addWebhook();
  await eventually(
    async () => receiver.received.length,
    (count) => count === 1,
  );

  expect((await call()).status).toBe(200);
  await page.goto(limitPage);
  await page.getByText('No refused calls in the last 30 days.').waitFor();
  expect((await call()).status).toBe(402);
  await page.getByRole('group', { name: 'Refused calls' }).getByRole('link', { name: 'First program' }).waitFor();
  await eventually(
    async () => receiver.received.map(({ body }) => body).join('\n'),
    (bodies) => bodies.includes('BUDGET_EXCEEDED'),
  );
  await page.getByRole('link', { name: 'Alerts' }).click();
  await page
    .getByRole('link', { name: /Two a day/ })
    .first()
    .waitFor();
  expect(problems).toEqual([]);
});
