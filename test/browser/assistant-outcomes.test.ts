import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UsageSummary } from '../../src/contract/usage.ts';
import { type ProviderDouble, startProviderDouble } from '../doubles/provider-double.ts';
import { eventually, type Service, startService } from '../service.ts';
import { openBrowser, watchProblems } from './browser.ts';
import { signUp } from './sign-up.ts';

/** The dashboard may have to be built first. */
const OPEN_MS_MAX = 180_000;

let browser: Browser;
let double: ProviderDouble;
let service: Service;
let page: Page;
let home: string;
let problems: string[];

beforeAll(async () => {
  [browser, double] = await Promise.all([openBrowser(), startProviderDouble()]);
  service = await startService({ urls: double.urls });
  page = await browser.newPage();
  problems = watchProblems(page);
  home = await signUp(page, service);
}, OPEN_MS_MAX);
afterAll(async () => {
  await browser.close();
  await service.close();
  await double.close();
});

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const whole = (key: string, intValue: number) => ({ key, value: { intValue } });

async function send(path: string, body: object): Promise<void> {
  const answer = await fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await service.createToken(['otlp:write'])}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  expect([answer.status, await answer.json()]).toEqual([200, {}]);
}

async function sendCommits(): Promise<void> {
  const at = `${Date.now()}000000`;
  const dataPoints = [{ asInt: 3, timeUnixNano: at, startTimeUnixNano: at, attributes: [text('session.id', 'one')] }];
  const sum = { aggregationTemporality: 1, isMonotonic: true, dataPoints };
  const metrics = [{ name: 'claude_code.commit.count', sum }];
  await send('/v1/metrics', { resourceMetrics: [{ resource: {}, scopeMetrics: [{ metrics }] }] });
}

/** Sends the report of an answer with 10 input and 20 output tokens, as the double gives it. */
async function sendGeminiCall(): Promise<void> {
  const attributes = [
    text('event.name', 'gemini_cli.api_response'),
    text('model', 'gemini-2.5-flash'),
    text('session.id', 'two'),
    text('prompt_id', 'two########0'),
    whole('input_token_count', 10),
    whole('output_token_count', 20),
    whole('cached_content_token_count', 0),
    whole('thoughts_token_count', 0),
    whole('tool_token_count', 0),
    whole('duration_ms', 5),
  ];
  const logRecords = [{ timeUnixNano: `${Date.now()}000000`, attributes }];
  await send('/v1/logs', { resourceLogs: [{ resource: {}, scopeLogs: [{ logRecords }] }] });
}

test('outcomes and possible duplicates are on the page of assistants, with usage that is not attributed', async () => {
  const key = await service.createKey('google');
  for (let call = 0; call < 2; call += 1) {
    const path = '/api/proxy/google/v1beta/models/gemini-2.5-flash:generateContent';
    const body = JSON.stringify({
      contents: [{ parts: [{ text: 'Hello' }] }],
      generationConfig: { maxOutputTokens: 9 },
    });
    const answer = await fetch(`${service.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'x-goog-api-key': key },
      body,
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  }
  await eventually(
    () => service.report<UsageSummary>('/api/mcp/usage/summary'),
    ({ totalCalls }) => totalCalls === 2,
  );
  await sendCommits();
  await sendGeminiCall();
  await page.goto(`${home}/assistants?range=7d`);
  const outcomes = page.getByRole('group', { name: 'Outcomes', exact: true });
  await outcomes.waitFor();
  expect(await outcomes.locator('tbody').innerText()).toMatch(/Claude Code\s+3/);
  expect(await outcomes.locator('tbody').innerText()).toMatch(/Gemini CLI\s+Not attributed/);
  const byPerson = page.getByRole('group', { name: 'Outcomes by person' });
  expect(await byPerson.locator('tbody').innerText()).toMatch(/\s3\s/);
  const duplicates = page.getByRole('group', { name: 'Possible duplicates' });
  expect(await duplicates.locator('tbody tr').count()).toBe(1);
  expect(await duplicates.getByRole('link', { name: /^call_/ }).count()).toBe(2);
  await page.goto(`${home}/assistants?range=7d&assistant=gemini_cli`);
  await page.getByRole('group', { name: 'Sessions' }).waitFor();
  expect(await outcomes.count()).toBe(0);
  expect(problems).toEqual([]);
});
