import { expect, test } from 'vitest';
import { readConfig, readToolSettings } from './config.ts';
import { addressSetting } from './domain/identity/custom-provider.ts';
import { PROVIDERS } from './providers/providers.ts';

test('settings have defaults, and URLs lose a trailing slash', () => {
  const config = readConfig({ SVC_ANTHROPIC_URL: 'http://localhost:9/a/', SVC_HOST: '' });
  expect(config).toMatchObject({ host: '127.0.0.1', port: 4700, baseUrl: 'http://localhost:4700', dataDir: './data' });
  expect(config.providerUrls).toEqual({ anthropic: 'http://localhost:9/a' });
});

test('every provider has a setting for its URL, and no other setting is mistaken for one', () => {
  const at = 'http://localhost:9';
  const env = Object.fromEntries(PROVIDERS.map(({ id }) => [addressSetting(id), at]));
  const others = { SVC_BASE_URL: at, SVC_API_URL: at, SVC_PRICES_URL: at, SVC_SMTP_URL: 'smtp://localhost' };
  const config = readConfig({ ...env, ...others, SVC_DATABASE_URL: 'postgres://localhost' });
  expect(config.providerUrls).toEqual(Object.fromEntries(PROVIDERS.map(({ id }) => [id, at])));
});

test.each([
  ['SVC_PORT', 'abc', 'whole number'],
  ['SVC_PORT', '-1', 'whole number'],
  ['SVC_PORT', '65536', 'at most 65535'],
  ['SVC_BASE_URL', 'example.com', 'http or https'],
  ['SVC_BASE_URL', 'http://example.com/?a=b', 'without user, query and fragment'],
  ['SVC_GOOGLE_URL', 'ftp://example.com', 'http or https'],
  ['SVC_GOOGLE_URL', 'https://example.com/v1?', 'without user, query and fragment'],
  ['SVC_GOOGLE_URL', 'https://example.com\\evil', 'without user, query and fragment'],
  ['SVC_GOOGLE_URL', 'https:example.com', 'without user, query and fragment'],
  ['SVC_OPENAI_URL', 'https://user:word@example.com', 'without user, query and fragment'],
  ['SVC_OPENAI_URL', 'https://example.com/v1#top', 'without user, query and fragment'],
  ['SVC_JOURNAL_SYNC', 'FULL', 'normal, full'],
  ['SVC_LOG_LEVEL', 'loud', 'fatal, error'],
  ['SVC_BAGGAGE_TAGS', 'yes', 'true, false'],
  ['SVC_TOKEN_REQUESTS_PER_MINUTE', '0', 'at least 1'],
  ['SVC_SECRET', 'short', 'openssl rand'],
  ['SVC_ALLOWED_HOSTS', 'tollbook.lan:4700', 'host names without ports'],
  ['SVC_ALLOWED_HOSTS', 'https://tollbook.lan', 'host names without ports'],
  ['SVC_WEBHOOK_ALLOW', '10.0.0.0/8, 10.0.0.0/99', 'has "10.0.0.0/99"; write address ranges'],
  ['SVC_WEBHOOK_ALLOW', '*.example.com', 'host names'],
  ['SVC_WEBHOOK_ALLOW', '10.0.0', 'such as 10.0.0.0/8'],
  ['SVC_WEBHOOK_ALLOW', 'http://example.com', 'host names'],
])('%s=%s is refused with a sentence that names it', (name, value, sentence) => {
  const read = () => readConfig({ [name]: value });
  expect(read).toThrow(sentence);
  expect(read).toThrow(name);
  expect(read).not.toThrow('word@');
});

test('the tool server looks for a service at the default URL, and uploads nothing by itself', () => {
  const settings = readToolSettings({ SVC_PORT: '4800', SVC_API_KEY: ' key ' });
  expect(settings).toEqual({ apiUrl: 'http://localhost:4800', apiKey: 'key', autoSync: false, codexSync: true });
});

test.each(['', ' ', '${SVC_API_KEY}', '${env:SVC_API_KEY}', '${input:tollbook-access-token}'])(
  'an access token that a host left at %j counts as missing',
  (SVC_API_KEY) => expect(readToolSettings({ SVC_API_KEY }).apiKey).toBeNull(),
);

test.each([
  ['SVC_API_URL', 'localhost:4700', 'http or https'],
  ['SVC_AUTO_SYNC', 'on', 'true, false'],
  ['SVC_CODEX_AUTO_SYNC', '0', 'true, false'],
])('for the tool server %s=%s is refused with a sentence that names it', (name, value, sentence) => {
  const read = () => readToolSettings({ [name]: value });
  expect(read).toThrow(sentence);
  expect(read).toThrow(name);
});
