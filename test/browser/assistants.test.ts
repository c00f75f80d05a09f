import { hash } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/time/units.ts';
import { type Service, startService } from '../service.ts';
import { openBrowser, watchProblems } from './browser.ts';
import { signUp } from './sign-up.ts';

/** The dashboard may have to be built first. */
const OPEN_MS_MAX = 180_000;
const SESSION = hash('sha256', 'claude_code:one');
const UNCOVERED = hash('sha256', 'codex:two');

let browser: Browser;
let service: Service;
let page: Page;
let home: string;
let problems: string[];

beforeAll(async () => {
  browser = await openBrowser();
  service = await startService({ urls: {} });
  page = await browser.newPage();
  problems = watchProblems(page);
  home = await signUp(page, service);
  const started = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10);
  await service.command(['subscriptions', 'add', '--plan', 'max_5x', '--from', started]);
  await upload('claude_code', SESSION, 'claude-opus-4-8');
  await upload('codex', UNCOVERED, 'gpt-5.4');
}, OPEN_MS_MAX);
afterAll(async () => {
  await browser.close();
  await service.close();
});

/** Uploads a session of yesterday, in the middle of the day. */
async function upload(source: string, sessionId: string, model: string): Promise<void> {
  const noon = Date.now() - (Date.now() % DAY_MS) - DAY_MS + 12 * HOUR_MS;
  const record = {
    sessionId,
    projectId: hash('sha256', 'project'),
    model,
    inputTokens: 200_000,
    outputTokens: 100_000,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    timestamp: new Date(noon).toISOString(),
    calls: 7,
  };
  const answer = await fetch(`${service.baseUrl}/api/mcp/sync/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await service.createToken()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ source, sessions: [record] }),
  });
  expect(answer.status).toBe(200);
}

test('two clicks lead from the overview to a session of yesterday, with its person, cost and plan', async () => {
  await page.goto(home);
  await page.getByRole('region', { name: 'Assistants' }).getByRole('link', { name: 'Yesterday' }).click();
  await page.getByRole('heading', { level: 1, name: 'Assistants' }).waitFor();
  const row = page.getByRole('group', { name: 'Sessions' }).locator('tr', { hasText: SESSION.slice(0, 12) });
  await row.waitFor();
  expect(await row.innerText()).toMatch(/test \d+/);
  expect(await row.innerText()).toContain('$3.50');
  expect(await row.innerText()).toContain('Covered');
  await row.getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: 'Session', exact: true }).waitFor();
  const outside = page.getByRole('region', { name: 'Reported by the assistant' });
  await outside.getByText('Claude Code').waitFor();
  expect(await outside.innerText()).toMatch(/test \d+/);
  expect(await outside.getByRole('group').innerText()).toContain('Covered');
  expect(problems).toEqual([]);
});

test('a filter by plan leaves the sessions that are paid by use, and is part of the address', async () => {
  await page.goto(`${home}/assistants?range=7d`);
  const sessions = page.getByRole('group', { name: 'Sessions' });
  await sessions.getByRole('link', { name: SESSION.slice(0, 12) }).waitFor();
  await page.getByRole('combobox', { name: 'Plan' }).selectOption('false');
  await sessions.getByRole('link', { name: SESSION.slice(0, 12) }).waitFor({ state: 'detached' });
  await sessions.getByRole('link', { name: UNCOVERED.slice(0, 12) }).waitFor();
  expect(new URL(page.url()).search).toBe('?range=7d&covered=false');
  await page.goBack();
  await sessions.getByRole('link', { name: SESSION.slice(0, 12) }).waitFor();
});

test('a click on a name filters by it', async () => {
  await page.goto(`${home}/assistants?range=7d&by=model`);
  const totals = page.getByRole('group', { name: 'Usage by model, totals' });
  await totals.getByRole('button', { name: 'gpt-5.4' }).click();
  await page.waitForURL(/model=gpt-5.4/);
  await totals.getByRole('button', { name: 'claude-opus-4-8' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remove filter Model' }).click();
  await totals.getByRole('button', { name: 'claude-opus-4-8' }).waitFor();
  expect(problems).toEqual([]);
});
