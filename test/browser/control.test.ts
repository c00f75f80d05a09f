import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LimitShape } from '../../src/contract/limits.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { type Receiver, startReceiver } from '../doubles/receiver.ts';
import { BODIES, PATHS } from '../e2e/bad/bad-request.ts';
import { type Service, startService } from '../service.ts';
import { openBrowser, watchTrouble } from './browser.ts';
import { signUp } from './sign-up.ts';

const HOSTILE = '<img src=x onerror=document.title=1>"\'{{7*7}}';

/** The dashboard may have to be built first. */
const OPEN_MS_MAX = 180_000;

/** How everything begins that changes something. */
const DEEDS = /^(Create|Set a|Edit|Raise|Remove|Mark|Mute|Add|Enable|Disable|Replace|Revoke|Send|Replay)/;

let browser: Browser;
let double: ProviderDouble;
let receiver: Receiver;
let service: Service;
let key: string;
let page: Page;
let home: string;
let trouble: string[];

beforeAll(async () => {
  browser = await openBrowser();
  double = await startProviderDouble();
  receiver = await startReceiver();
  service = await startService({ urls: double.urls, env: { SVC_WEBHOOK_ALLOW: '127.0.0.0/8,http' } });
  key = await service.createKey('anthropic', { name: HOSTILE });
  page = await browser.newPage();
  trouble = watchTrouble(page);
  home = await signUp(page, service);
}, OPEN_MS_MAX);
afterAll(async () => {
  await browser.close();
  await service.close();
  await receiver.close();
  await double.close();
});
beforeEach(() => page.goto(home));

async function call(): Promise<number> {
  const headers = { 'x-api-key': key };
  const answer = await fetch(service.baseUrl + PATHS.anthropic, { method: 'POST', headers, body: BODIES.anthropic });
  await answer.text();
  return answer.status;
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');

/** What the next press of a key acts on. */
const focused = async (): Promise<string> => {
  const it = page.locator(':focus');
  return (await it.count()) === 0 ? '' : (await it.innerText()) || ((await it.getAttribute('name')) ?? '');
};

test('where something is made the keyboard goes on: with the page, the first field, and then what is shown only once', async () => {
  await page.goto(`${home}/keys`);
  await page.getByRole('link', { name: 'Create API key' }).press('Enter');
  await page.getByRole('textbox', { name: /API key$/ }).waitFor();
  await expect.poll(focused).toBe('Create API key');
  await page.getByRole('textbox', { name: /API key$/ }).fill('sk-ant-made-by-keyboard');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('By keyboard');
  await page.keyboard.press('Enter');
  await page.getByText('It is shown only now.').waitFor();
  expect(await focused()).toMatch(/^Copy\s+wrapped key$/);
  await page.goto(`${home}/settings?part=tokens`);
  await button('Make a token').press('Enter');
  expect(await focused()).toBe('name');
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await page.getByText('It is shown only now.').waitFor();
  expect(await focused()).toMatch(/^Copy\s+access token$/);
  await page.keyboard.press('Escape');
  expect(await focused()).toBe('Make a token');
  await page.getByRole('button', { name: 'Revoke' }).first().press('Enter');
  expect(await focused()).toBe('Cancel');
});

test('rules of a key are shown as they hold, and what can not hold is said where it was asked for', async () => {
  await page.goto(`${home}/keys`);
  await page.getByRole('link', { name: HOSTILE }).click();
  await button('Edit rules').click();
  await page.getByLabel('Only these models').fill('claude-*');
  await page.getByText('From where, when, and how').click();
  await page.getByLabel('From', { exact: true }).fill('nine');
  await button('Save rules').click();
  await dialog().getByRole('alert').getByText('Write the time of day').waitFor();
  await page.getByLabel('From', { exact: true }).fill('00:00');
  await page.getByLabel('Until', { exact: true }).fill('24:00');
  await button('Save rules').click();
  await dialog().waitFor({ state: 'detached' });
  await page.getByText('every day, 00:00 to 24:00').waitFor();
  expect(await page.locator('button:focus').textContent()).toBe('Edit rules');
});

test('a limit says what it will do before it is set, then whom it refused; a raise lets calls pass again', async () => {
  await page.goto(`${home}/limits/new`);
  await page.getByRole('radio', { name: 'A key' }).click();
  await page.getByRole('combobox', { name: 'Key' }).selectOption({ label: HOSTILE });
  await page.getByRole('textbox', { name: 'At most' }).fill('0.000001');
  await page.getByText(`Calls of the key ${HOSTILE} may cost at most $0.000001 a day.`).waitFor();
  await button('Set limit').click();
  await page.getByRole('heading', { level: 1, name: '$0.000001 a day' }).waitFor();
  await expect.poll(call).toBe(402);
  await page
    .getByRole('group', { name: 'Refused calls' })
    .getByText('it was larger than what was left')
    .first()
    .waitFor();
  await button('Raise for a while').click();
  await page.getByRole('textbox', { name: 'Raise it to' }).fill('5');
  await page.keyboard.press('Enter');
  await button('End the raise').waitFor();
  await expect.poll(call).toBe(200);
});

test('who edits a limit that another changed meanwhile is told so, and overwrites nothing', async () => {
  const limit = (amount: string) =>
    service.command<LimitShape>(['limits', 'set', '--unit', 'usd', '--amount', amount, '--window', 'month']);
  const { id } = await limit('40');
  await page.goto(`${home}/limits/${id}/edit`);
  const amount = page.getByRole('textbox', { name: 'At most' });
  await amount.fill('50');
  await limit('45');
  await button('Save limit').click();
  await page.getByRole('alert').getByText('Somebody else changed this meanwhile (amount)').waitFor();
  expect(await service.report<LimitShape>(`/api/manage/limits/${id}`)).toMatchObject({ amount: 45 });
  await page.reload();
  expect(await amount.inputValue()).toBe('45');
  await amount.fill('50');
  await button('Save limit').click();
  await page.getByRole('heading', { level: 1, name: '$50.00 a month' }).waitFor();
});

test('who removes a limit or ends a raise that another changed meanwhile is told so, and it stays', async () => {
  const set = 'limits set --unit calls --amount 900 --window month';
  const { id } = await service.command<LimitShape>(set.split(' '));
  const raise = (amount: string) =>
    service.command<LimitShape>(['limits', 'raise', id, '--amount', amount, '--for', '2h']);
  await page.goto(`${home}/limits/${id}`);
  await button('Remove').click();
  await raise('1000');
  await button('Remove limit').click();
  await dialog().getByText('Somebody else changed this meanwhile (raise)').waitFor();
  await page.keyboard.press('Escape');
  // As for who presses before the page has heard of it.
  await page.route(`**/api/manage/limits/${id}/raise`, async (route) => {
    await raise('2000');
    await route.continue();
  });
  await button('End the raise').click();
  await page.getByRole('dialog', { name: 'The raise was not ended' }).getByText('Somebody else').waitFor();
  await page.unroute(`**/api/manage/limits/${id}/raise`);
  expect(await service.report<LimitShape>(`/api/manage/limits/${id}`)).toMatchObject({ raise: { amount: 2000 } });
  await page.keyboard.press('Escape');
  await button('End the raise').click();
  await button('End the raise').waitFor({ state: 'detached' });
  await button('Remove').click();
  await button('Remove limit').click();
  await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor();
});

test('an alert leads to what it is about, and is read when somebody says so', async () => {
  await service.command(['limits', 'set', '--unit', 'calls', '--amount', '1', '--window', 'day', '--warn']);
  expect(await call()).toBe(200);
  await page.goto(`${home}/alerts`);
  await page.getByRole('list', { name: 'Alerts' }).getByRole('link').first().click();
  await page.getByText('not yet').waitFor();
  await button('Mark as read').click();
  await button('Mark as read').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'The limit', exact: true }).click();
  await page.getByText('Who was refused lately').waitFor();
});

test('a webhook is added with a secret that is shown once, tested, and tells every try', async () => {
  await page.goto(`${home}/webhooks/new`);
  await page.getByRole('radio', { name: /Your own/ }).click();
  await page.getByRole('textbox', { name: 'Address' }).fill(`${receiver.url}/hook`);
  await page.getByRole('textbox', { name: 'Name' }).fill(HOSTILE);
  await button('Add webhook').click();
  const secret = await page.getByRole('group', { name: 'secret' }).textContent();
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole('link', { name: /test it/ }).click();
  await button('Send a test').click();
  await page.getByText(/^Delivered in/).waitFor();
  receiver.next((response) => response.writeHead(422).end('<b>no</b>'));
  await button('Send a test').click();
  await page.getByText(/^It was not delivered/).waitFor();
  const deliveries = page.getByRole('list', { name: 'Deliveries' });
  await deliveries.getByText('given up').waitFor();
  await deliveries.getByText('last answered 422').click();
  await deliveries.getByText('<b>no</b>').waitFor();
  await deliveries.getByRole('button', { name: 'Send again' }).first().click();
  await expect.poll(() => receiver.received.length).toBe(3);
  expect(await page.content()).not.toContain(secret);
});

test('who only looks is offered nothing that would be refused', async () => {
  const { limits } = await service.report<{ limits: LimitShape[] }>('/api/manage/limits');
  const { link } = await service.command<{ link: string }>(['invitations', 'create', '--role', 'viewer']);
  const context = await browser.newContext();
  const viewer = await context.newPage();
  await viewer.goto(link);
  await viewer.getByRole('textbox', { name: 'Your name' }).fill('Eve');
  await viewer.getByLabel('E-mail').fill('eve@example.com');
  await viewer.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
  await viewer.keyboard.press('Enter');
  await viewer.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  for (const path of ['/keys', '/limits', `/limits/${limits[0]?.id}`, '/alerts', '/webhooks']) {
    await viewer.goto(new URL(path, link).href);
    await viewer.locator('main').getByRole('link').first().waitFor();
    const offered = viewer.locator('main').locator('button, a').getByText(DEEDS);
    expect(await offered.allTextContents(), path).toEqual([]);
  }
  // Who is removed meanwhile keeps nothing on the page that is open.
  await viewer.goto(new URL('/calls', link).href);
  await viewer.getByText('Live', { exact: true }).first().waitFor();
  await service.command(['members', 'remove', 'eve@example.com']);
  await viewer.getByText('You are in no workspace').waitFor();
  await context.close();
});

test('whatever people wrote was text, and no page broke', async () => {
  expect(await page.title()).not.toBe('1');
  expect(trouble).toEqual([]);
});
