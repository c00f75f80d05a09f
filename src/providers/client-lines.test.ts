import { describe, expect, test } from 'vitest';
import { formatSecret, SECRET_RANDOM_BYTES } from '../domain/identity/secret.ts';
import { openai } from './openai/openai.ts';
import { clientLines } from './client-lines.ts';
import { PROVIDERS } from './providers.ts';

const KEY = formatSecret(new Uint8Array(SECRET_RANDOM_BYTES)).text;
const BASE = 'http://localhost:4700';
const INDENT = 2;
/** Settings whose key is in the step after them. */
const KEYLESS_STEPS: Readonly<Record<string, readonly string[]>> = {
  openai: ['Codex: at the top of ~/.codex/config.toml, above any [section]'],
  google: ['Gemini CLI: in ~/.gemini/settings.json'],
};

describe.each(PROVIDERS.map((provider) => [provider.id, provider] as const))('the lines for %s', (id, provider) => {
  const clients = clientLines(provider, BASE, KEY);

  test('fit into 80 columns, except for URLs and shell exports', () => {
    const long = clients.flatMap(({ lines }) => lines).filter((line) => INDENT + line.length > 80);
    expect(long.filter((line) => !line.includes(BASE) && !line.startsWith('export '))).toEqual([]);
  });

  test('begin with a request whose body is JSON', () => {
    const [curl] = clients;
    expect(curl?.client).toBe('curl');
    const body = /-d '([^']*)'/.exec(curl?.lines.join('\n') ?? '')?.[1] ?? '';
    expect(Object.keys(JSON.parse(body) as object).length).toBeGreaterThan(0);
  });

  test('include the key for every client', () => {
    const without = clients.filter(({ lines }) => !lines.join('\n').includes(KEY)).map(({ client }) => client);
    expect(without).toEqual(KEYLESS_STEPS[id] ?? []);
  });
});

test('the lines for Codex open no section, which would absorb later settings in the file', () => {
  const codex = clientLines(openai, BASE, KEY).find(({ client }) => client.startsWith('Codex'));
  expect(codex?.lines.filter((line) => !/^[a-z_.]+ = "[^"]+"$/.test(line))).toEqual([]);
});
