import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Service, startService } from '../service.ts';
import { openBrowser } from './browser.ts';
import { signUp } from './sign-up.ts';

// A hostile provider responds with pages and scripts. None of them may run on the origin of the dashboard.

/** A host name that is not a secure origin: browsers send no `sec-fetch-*` headers to it. */
const PLAIN = 'plain.test';

let browser: Browser;
let provider: Server;
let service: Service;
let page: Page;
let home: string;
let models: string;
/** Requests from scripts of the provider. */
let ran: string[];

beforeAll(async () => {
  provider = createServer((req, res) => {
    if (req.url?.startsWith('/ran')) ran.push(req.url);
    const mark = (how: string): string => `new Image().src='${originOf(provider)}/ran?${how}'`;
    if (req.url?.includes('as=script'))
      return void res.writeHead(200, { 'content-type': 'text/javascript' }).end(mark('script'));
    res.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': 'default-src * data: blob:' });
    res.end(
      `<h1>From the provider</h1><script>${mark('page')}</script><img src=x onerror="${mark('image')}">` +
        `<meta http-equiv="refresh" content="0;url=${originOf(provider)}/ran?refresh">`,
    );
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  browser = await openBrowser([`--host-resolver-rules=MAP ${PLAIN} 127.0.0.1`]);
  service = await startService({ urls: { openai: originOf(provider) } });
  const key = await service.createKey('openai');
  page = await browser.newPage();
  home = await signUp(page, service);
  models = `/api/proxy/openai/v1/models?key=${key}`;
});
afterAll(async () => {
  await browser.close();
  await service.close();
  provider.close();
  provider.closeAllConnections();
});
beforeEach(() => {
  ran = [];
});

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a link to the proxy never shows a page of the provider', async () => {
  const answer = await page.goto(home + models);
  expect(answer?.status()).toBe(403);
  expect(await page.locator('body').innerText()).toContain('Answers of the proxy are for programs');
  expect(ran).toEqual([]);
});

test('without sec-fetch headers, the provider page is shown but runs nothing', async () => {
  const { port } = new URL(service.baseUrl);
  await page.goto(`http://${PLAIN}:${port}${models}`);
  await page.getByRole('heading', { name: 'From the provider' }).waitFor();
  // A separate origin: nothing of the dashboard is within reach even if a script ran.
  expect(await page.evaluate('origin')).toBe('null');
  expect(ran).toEqual([]);
});

test('a dashboard page can neither frame nor run a provider response', async () => {
  await page.goto(home);
  const outcome = await page.evaluate(
    `Promise.all(['iframe', 'object', 'embed', 'script', 'img', 'link'].map((name) => new Promise((resolve) => {
      const it = document.createElement(name);
      it.onload = () => resolve(name + ' loaded');
      it.onerror = () => resolve(name + ' refused');
      it[{ object: 'data', link: 'href' }[name] ?? 'src'] = ${JSON.stringify(`${models}&as=script`)};
      if (name === 'link') it.rel = 'stylesheet';
      document.body.append(it);
      // The content security policy blocks these silently.
      if (['iframe', 'object', 'embed'].includes(name)) resolve(name);
    })))`,
  );
  expect(outcome).not.toContain('script loaded');
  expect(ran).toEqual([]);
});

test('a script that fetches the proxy gets the response as data', async () => {
  await page.goto(home);
  const got = await page.evaluate(`fetch(${JSON.stringify(models)}).then(async (it) => [it.status, await it.text()])`);
  expect(got).toEqual([200, expect.stringContaining('From the provider')]);
  expect(ran).toEqual([]);
});

test('a page on another host name for this machine reads no public endpoint', async () => {
  const { port } = new URL(service.baseUrl);
  for (const path of ['/', '/metrics', '/readyz', '/openapi.json', '/api/mcp/usage/summary']) {
    const answer = await page.goto(`http://${PLAIN}:${port}${path}`);
    expect([path, answer?.status()]).toEqual([path, 403]);
    expect(await page.locator('body').innerText()).toContain('SVC_ALLOWED_HOSTS');
  }
});
