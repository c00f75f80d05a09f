import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { buildProviders } from '../../providers/providers.ts';
import { alertPage, homePage, TEXT_PAGE_HEADERS } from './home-page.ts';

const SETTINGS = {
  baseUrl: 'https://toll.example.com',
  allowedHosts: [],
  version: '1.2.3',
  tokenRequestsPerMinute: 600,
  demo: false,
  sendsMail: false,
  hasNodes: false,
};
const custom = [{ id: 'mine', name: '<img src=x onerror="alert(1)">', url: 'http://10.0.0.1', priceProvider: null }];
const providers = buildProviders({ urls: {}, custom });

test('the page shows the base URL of every provider, and names are escaped', () => {
  const page = homePage({ settings: SETTINGS, providers });
  for (const id of providers.keys()) expect(page).toContain(`https://toll.example.com/api/proxy/${id}`);
  expect(page).toContain('&lt;img src=x');
  expect(page).not.toContain('<img');
});

test('a demo says that it is one, and other services do not', () => {
  expect(homePage({ settings: { ...SETTINGS, demo: true }, providers })).toContain('DEMO: the providers are a sandbox');
  expect(homePage({ settings: SETTINGS, providers })).not.toContain('DEMO');
});

test('the policy of the page allows only its own style sheet', () => {
  const style = /<style>([\s\S]*)<\/style>/.exec(homePage({ settings: SETTINGS, providers }))?.[1] ?? '';
  const policy = TEXT_PAGE_HEADERS['content-security-policy'];
  expect(policy).toContain(`'sha256-${hash('sha256', style, 'base64')}'`);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
});

test('the page for links from alerts says how to read that alert, and ignores other names', () => {
  expect(alertPage('al_1', { settings: SETTINGS })).toContain('npx tollbook alerts read al_1');
  expect(alertPage('al_<script>', { settings: SETTINGS })).toContain('npx tollbook alerts read ID');
});
