import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LimitShape } from '../../src/contract/limits.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { type Receiver, startReceiver } from '../doubles/receiver.ts';
import { BODIES, PATHS } from '../e2e/bad/bad-request.ts';
import { type Service, startService } from '../service.ts';
import { openBrowser, watchProblems } from './browser.ts';
import { signUp } from './sign-up.ts';

const HOSTILE = '<img src=x onerror=document.title=1>"\'{{7*7}}';

/** The dashboard may have to be built first. */
const OPEN_MS_MAX = 180_000;

let browser: Browser;
let double: ProviderDouble;
let receiver: Receiver;
let service: Service;
let key: string;
let page: Page;
let home: string;
let problems: string[];

beforeAll(async () => {
  browser = await openBrowser();
  double = await startProviderDouble();
  receiver = await startReceiver();
  service = await startService({ urls: double.urls, env: { SVC_WEBHOOK_ALLOW: '127.0.0.0/8,http' } });
  key = await service.createKey('anthropic', { name: HOSTILE });
  page = await browser.newPage();
  problems = watchProblems(page);
  home = await signUp(page, service);
}, OPEN_MS_MAX);
afterAll(async () => {
  await browser.close();
  await service.close();
  await receiver.close();
  await double.close();
});

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

test('the keyboard focus follows a creation: the page, the first field, then the secret that is shown once', async () => {
  await page.goto(`${home}/keys`);
  await page.getByRole('link', { name: 'Create key' }).press('Enter');
  await page.getByRole('textbox', { name: /API key$/ }).waitFor();
  await expect.poll(focused).toBe('Create key');
  await page.getByRole('textbox', { name: /API key$/ }).fill('sk-ant-made-by-keyboard');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('By keyboard');
  await page.keyboard.press('Enter');
  await page.getByText(/only once/).waitFor();
  expect(await focused()).toMatch(/^Copy\s+wrapped key$/);
  await page.goto(`${home}/settings?part=tokens`);
  await button('Create token').press('Enter');
  expect(await focused()).toBe('name');
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await page.getByText(/only once/).waitFor();
  expect(await focused()).toMatch(/^Copy\s+access token$/);
  await page.keyboard.press('Escape');
  expect(await focused()).toBe('Create token');
  await page.getByRole('button', { name: 'Revoke' }).first().press('Enter');
  expect(await focused()).toBe('Cancel');
});

test('a saved policy is shown, and an invalid one is reported in its dialog', async () => {
  await page.goto(`${home}/keys`);
  await page.getByRole('link', { name: HOSTILE }).click();
  await button('Edit policy').click();
  await page.getByLabel('Allowed models').fill('claude-*');
  await page.getByText('Advanced').click();
  await page.getByLabel('From', { exact: true }).fill('nine');
  await button('Save policy').click();
  await dialog().getByRole('alert').getByText('Write the time of day').waitFor();
  await page.getByLabel('From', { exact: true }).fill('00:00');
  await page.getByLabel('Until', { exact: true }).fill('24:00');
  await button('Save policy').click();
  await dialog().waitFor({ state: 'detached' });
  await page.getByText('Every day, 00:00 to 24:00').waitFor();
  expect(await page.locator('button:focus').textContent()).toBe('Edit policy');
});

/** Name and message of the field that has the focus. */
const focusedField = (): Promise<unknown> =>
  page.evaluate(`(({ activeElement: field }) => ({
    name: field.name,
    invalid: field.getAttribute('aria-invalid'),
    message: document.getElementById((field.getAttribute('aria-describedby') ?? '').split(' ')[0])?.textContent,
  }))(document)`);

test('an invalid field is named and focused, whether the form or the service refuses it', async () => {
  await page.goto(`${home}/keys/new`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('   ');
  await button('Create key').click();
  expect(await focusedField()).toEqual({ name: 'providerKey', invalid: 'true', message: 'Enter a value.' });
  await page.getByRole('textbox', { name: /API key$/ }).fill('sk-ant-of-a-form');
  await button('Create key').click();
  expect(await focusedField()).toEqual({ name: 'name', invalid: 'true', message: 'Enter a value.' });
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Form');
  // The section of the field is closed again: the error opens it.
  const budgets = page.locator('summary').getByText('Budgets');
  await budgets.click();
  await page.getByRole('textbox', { name: 'Run budget' }).fill('much');
  await budgets.click();
  await button('Create key').click();
  await page.getByText('"much" is not an amount of dollars').waitFor();
  expect(await focusedField()).toMatchObject({ name: 'budgets.run', invalid: 'true' });
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('textbox', { name: 'Run budget' }).fill('3');
  expect(await page.getByText('is not an amount of dollars').count()).toBe(0);
});

test('a new key has the budgets and rules of its form, and its page changes them', async () => {
  await page.goto(`${home}/keys/new`);
  await page.getByRole('textbox', { name: /API key$/ }).fill('sk-ant-with-budgets');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('With budgets');
  await page.locator('summary').getByText('Budgets').click();
  await page.getByRole('textbox', { name: 'Session budget' }).fill('5');
  await page.getByRole('textbox', { name: 'Agent budget' }).fill('0.50');
  await page.locator('summary').getByText('Policy').click();
  await page.getByRole('checkbox', { name: 'Session' }).check();
  await page.getByRole('textbox', { name: 'New sessions per hour' }).fill('20');
  await button('Create key').click();
  await page.getByRole('link', { name: 'View key' }).click();
  await page.getByText('New sessions per hour').waitFor();
  await button('Edit budgets').click();
  await dialog().getByRole('textbox', { name: 'Agent budget' }).fill('');
  await dialog().getByRole('textbox', { name: 'Run budget' }).fill('7');
  await button('Save budgets').click();
  await dialog().waitFor({ state: 'detached' });
  await page.getByRole('link', { name: '$7.00' }).waitFor();
  const keyId = new URL(page.url()).pathname.replace('/keys/', '');
  const { limits } = await service.report<{ limits: LimitShape[] }>('/api/manage/limits');
  const budgets = limits.flatMap(({ scope, amount, window }) =>
    scope.kind === 'each' && scope.keyId === keyId ? [[scope.of, { amount, window }]] : [],
  );
  expect(Object.fromEntries(budgets)).toEqual({
    session: { amount: 5, window: 'total' },
    run: { amount: 7, window: 'total' },
  });
  expect(await service.report(`/api/manage/policies/${keyId}`)).toMatchObject({
    policy: { requiredNames: ['session'], maxSessionsPerHour: 20 },
  });
});

test('a limit previews its effect, lists refused calls, and lets calls through again after a raise', async () => {
  await page.goto(`${home}/limits/new`);
  await page.getByRole('radio', { name: 'One key' }).click();
  await page.getByRole('combobox', { name: 'Key' }).selectOption({ label: HOSTILE });
  await page.getByRole('textbox', { name: 'Amount' }).fill('0.000001');
  await page.getByText(`Calls of the key ${HOSTILE} may cost at most $0.000001 a day.`).waitFor();
  await page.getByText('No call was recorded in the last 7 days').waitFor();
  await button('Create limit').click();
  await page.getByRole('heading', { level: 1, name: '$0.000001 a day' }).waitFor();
  await expect.poll(call).toBe(402);
  await page.getByRole('group', { name: 'Refused calls' }).getByText('Needed more than was left').first().click();
  const panel = page.getByRole('dialog', { name: 'Refused call' });
  await panel.getByText('call_').waitFor();
  await panel.getByRole('button', { name: 'Close' }).click();
  await button('Raise temporarily').click();
  await page.getByRole('textbox', { name: 'New amount' }).fill('5');
  await page.keyboard.press('Enter');
  await button('End raise').waitFor();
  await expect.poll(call).toBe(200);
});

test('a session of refused calls shows them, and names with a slash stay as the client wrote them', async () => {
  const { id } = await service.command<LimitShape>(['limits', 'set', '--each', 'session', '--amount', '0.000001']);
  const headers = { 'x-api-key': key, 'x-svc-session': 'nightly/7' };
  const refuse = async (): Promise<number> => {
    const url = service.baseUrl + PATHS.anthropic;
    const response = await fetch(url, { method: 'POST', headers, body: BODIES.anthropic });
    await response.text();
    return response.status;
  };
  await expect.poll(refuse).toBe(402);
  await page.goto(`${home}/session?name=nightly%2F7`);
  await page.getByText('Limits refused every call of this session').waitFor();
  await page.getByRole('group', { name: 'Refused calls' }).getByRole('link', { name: 'nightly/7' }).first().waitFor();
  await page.goto(`${home}/session?name=unknown`);
  await page.getByText('Session not found').waitFor();
  await service.command(['limits', 'remove', id]);
});

test('editing a limit that changed meanwhile shows an error and overwrites nothing', async () => {
  const limit = (amount: string) =>
    service.command<LimitShape>(['limits', 'set', '--unit', 'usd', '--amount', amount, '--window', 'month']);
  const { id } = await limit('40');
  await page.goto(`${home}/limits/${id}/edit`);
  const amount = page.getByRole('textbox', { name: 'Amount' });
  await amount.fill('50');
  await limit('45');
  await button('Save changes').click();
  await page.getByRole('alert').getByText('Someone else changed or deleted this after you opened it').waitFor();
  expect(await service.report<LimitShape>(`/api/manage/limits/${id}`)).toMatchObject({ amount: 45 });
  await button('Reload page').click();
  await expect.poll(() => amount.inputValue()).toBe('45');
  expect(await amount.inputValue()).toBe('45');
  await amount.fill('50');
  await button('Save changes').click();
  await page.getByRole('heading', { level: 1, name: '$50.00 a month' }).waitFor();
});

test('deleting a limit or ending a raise that changed meanwhile shows an error and changes nothing', async () => {
  const set = 'limits set --unit calls --amount 900 --window month';
  const { id } = await service.command<LimitShape>(set.split(' '));
  const raise = (amount: string) =>
    service.command<LimitShape>(['limits', 'raise', id, '--amount', amount, '--for', '2h']);
  await page.goto(`${home}/limits/${id}`);
  await button('Delete').click();
  await raise('1000');
  await button('Delete limit').click();
  await dialog().getByText('Someone else changed or deleted this after you opened it').waitFor();
  await page.keyboard.press('Escape');
  // The raise changes right before the click.
  await page.route(`**/api/manage/limits/${id}/raise`, async (route) => {
    await raise('2000');
    await route.continue();
  });
  await button('End raise').click();
  await page.getByRole('dialog', { name: 'Could not end the raise' }).getByText('Someone else').waitFor();
  await page.unroute(`**/api/manage/limits/${id}/raise`);
  expect(await service.report<LimitShape>(`/api/manage/limits/${id}`)).toMatchObject({ raise: { amount: 2000 } });
  await page.keyboard.press('Escape');
  await button('End raise').click();
  await button('End raise').waitFor({ state: 'detached' });
  await button('Delete').click();
  await button('Delete limit').click();
  await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor();
});

test('an alert links to its limit, and is read only after "Mark as read"', async () => {
  await service.command(['limits', 'set', '--unit', 'calls', '--amount', '1', '--window', 'day', '--warn']);
  expect(await call()).toBe(200);
  await page.goto(`${home}/alerts`);
  await page.getByRole('list', { name: 'Alerts' }).getByRole('link').first().click();
  await page.getByText('No', { exact: true }).waitFor();
  await button('Mark as read').click();
  await button('Mark as read').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'View limit', exact: true }).click();
  await page.getByText('Recent refusals').waitFor();
});

test('a webhook is added with a secret that is shown once, tested, and lists every attempt', async () => {
  await page.goto(`${home}/webhooks/new`);
  await page.getByRole('radio', { name: /Custom HTTP/ }).click();
  await page.getByRole('textbox', { name: 'Address' }).fill(`${receiver.url}/hook`);
  await page.getByRole('textbox', { name: 'Name' }).fill(HOSTILE);
  await button('Add webhook').click();
  const secret = await page.getByRole('group', { name: 'secret' }).textContent();
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole('link', { name: 'View webhook' }).click();
  await button('Send test').click();
  await page.getByText(/^Delivered in/).waitFor();
  receiver.next((response) => response.writeHead(422).end('<b>no</b>'));
  await button('Send test').click();
  await page.getByText(/^Not delivered/).waitFor();
  const deliveries = page.getByRole('list', { name: 'Deliveries' });
  await deliveries.getByText('Failed').waitFor();
  await deliveries.getByText('1 attempt, 422').click();
  await deliveries.getByText('<b>no</b>').waitFor();
  await deliveries.getByRole('button', { name: 'Resend' }).first().click();
  await expect.poll(() => receiver.received.length).toBe(3);
  expect(await page.content()).not.toContain(secret);
});

test('a removed member loses access also on an open page', async () => {
  const { link } = await service.command<{ link: string }>(['invitations', 'create', '--role', 'viewer']);
  const context = await browser.newContext();
  const viewer = await context.newPage();
  await viewer.goto(link);
  await viewer.getByRole('textbox', { name: 'Your name' }).fill('Eve');
  await viewer.getByLabel('Email').fill('eve@example.com');
  await viewer.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
  await viewer.keyboard.press('Enter');
  await viewer.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await viewer.goto(new URL('/calls', link).href);
  await viewer.getByText('Live', { exact: true }).first().waitFor();
  await service.command(['members', 'remove', 'eve@example.com']);
  await viewer.getByText('No workspace').waitFor();
  expect(await viewer.getByRole('navigation').count()).toBe(0);
  await context.close();
});

test('text of people never runs, and no page breaks', async () => {
  expect(await page.title()).not.toBe('1');
  expect(problems).toEqual([]);
});
