import type { KeyCredential } from '../src/domain/identity/wrapped-key.ts';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { getRequestListener } from '@hono/node-server';
import OpenAI from 'openai';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WebhookShape } from '../src/contract/webhooks.ts';
import { readConfig } from '../src/config.ts';
import { clientLines } from '../src/providers/client-lines.ts';
import { PROVIDERS } from '../src/providers/providers.ts';
import { controlSocketPath } from '../src/lib/fs/socket-path.ts';
import { tools } from '../src/mcp/tools.ts';
import { codexConfig } from '../src/mcp/setup/codex-config.ts';
import { ADMIN_KEY, OPENAI_ADMIN_KEY, Organization, serveOrganization } from './doubles/admin-api.ts';
import { type ProviderDouble, startProviderDouble } from './doubles/provider-double.ts';
import { startReceiver } from './doubles/receiver.ts';
import { findBlock, MANUAL, readBlocks, tollbookLines } from './manual.ts';
import { runLine } from './run-line.ts';
import { seeded } from './seeded.ts';
import { eventually, PROVIDER_KEY, type Service, startService } from './service.ts';
import { writeClaudeTree } from './sessions/claude-tree.ts';
import { Prose } from './sessions/prose.ts';
import { openTestLedger } from './test-ledger.ts';
import { connectInProcess, connectStdio } from './tool-host.ts';

// Runs the examples of the manual as they are written, with another service URL and other secrets.
// `documents.test.ts` runs those that need a data folder only.

const ADDRESS = 'http://localhost:4700';

let double: ProviderDouble;
let service: Service;
let home: string;
let env: Record<string, string>;
beforeAll(async () => {
  double = await startProviderDouble();
  service = await startService({ urls: double.urls });
  home = mkdtempSync(join(tmpdir(), 'tollbook-home-'));
  env = {
    HOME: home,
    USERPROFILE: home,
    LOCALAPPDATA: home,
    APPDATA: home,
    SVC_DATA_DIR: service.dataDir,
    SVC_API_URL: service.baseUrl,
    ANTHROPIC_API_KEY: PROVIDER_KEY,
  };
});
afterAll(async () => {
  await service?.close();
  await double?.close();
  rmSync(home, { recursive: true });
});

const here = (text: string): string => text.replaceAll(ADDRESS, service.baseUrl);
const secretIn = (text: string): string => /svc_sk_\w+/.exec(text)?.[0] ?? '';
const LINES = readBlocks(MANUAL, 'sh').flatMap(tollbookLines);
const lineWith = (start: string): string => LINES.find((line) => line.startsWith(start)) ?? '';

/** What a command prints that has nothing to complain of. */
async function print(line: string, more: Omit<Parameters<typeof runLine>[1], 'env'> = {}, own = {}): Promise<string> {
  const { code, out, err } = await runLine(line, { ...more, env: { ...env, ...own } });
  const asked = more.typed === undefined ? '' : (expect.stringMatching(/\[y\/N\] $/) as string);
  expect({ line, code, err }).toEqual({ line, code: 0, err: asked });
  return out;
}

async function inShell(line: string, secrets: Record<string, string>): Promise<unknown> {
  const shell = { env: { PATH: process.env['PATH'], NO_PROXY: '*', ...secrets } };
  const { stdout } = await promisify(execFile)('sh', ['-c', here(line)], shell);
  return JSON.parse(stdout);
}

const ANSWERS: readonly (readonly [string, object])[] = [
  ['/api/proxy/anthropic/', { type: 'message', usage: { input_tokens: 10 } }],
  ['/api/mcp/usage/summary', { totalCalls: 1 }],
  ['/api/mcp/usage/by-tag', []],
  ['/api/mcp/refusals/counts', { calls: 0, groups: [] }],
  ['/api/mcp/refusals', { refusals: [], nextCursor: null }],
  ['/api/mcp/sessions', { sessions: expect.any(Array) }],
  ['/api/proxy/google ', { usageMetadata: { promptTokenCount: 10 } }],
];

test('the first steps lead from a provider key to a recorded call, and every curl line works', async () => {
  const made = {
    anthropic: secretIn(await print(lineWith('keys create'))),
    google: await service.createKey('google'),
  };
  const TOKEN = secretIn(await print(lineWith('tokens create')));
  const requests = readBlocks(MANUAL, 'sh').flatMap((block) =>
    block.split('\n').filter((line) => line.startsWith('curl ')),
  );
  expect(ANSWERS.filter(([path]) => !requests.some((line) => line.includes(path)))).toEqual([]);
  for (const line of new Set(requests)) {
    const [path = '', answer] = ANSWERS.find(([part]) => line.includes(part)) ?? [];
    expect({ line, path }).not.toEqual({ line, path: '' });
    const WRAPPED_KEY = path.includes('google') ? made.google : made.anthropic;
    const ask = () => inShell(line, { WRAPPED_KEY, TOKEN });
    const isThere = (given: unknown) => !path.includes('summary') || (given as { totalCalls: number }).totalCalls > 0;
    expect(await eventually(ask, isThere)).toMatchObject(answer ?? {});
  }
});

const model = 'gemini-2.5-flash';
const messages = [{ role: 'user' as const, content: 'Hello' }];

test('the lines for the official libraries call their providers', async () => {
  const lines = here(findBlock('docs/clients.md', 'ts', 'new Anthropic'))
    .trim()
    .split('\n');
  const made = async (provider: string, name: string): Promise<unknown> => {
    const wrappedKey = await service.createKey(provider);
    const line = lines.find((one) => one.startsWith(`new ${name}(`)) ?? '';
    return runInNewContext(line, { Anthropic, OpenAI, GoogleGenAI, wrappedKey });
  };
  const anthropic = (await made('anthropic', 'Anthropic')) as Anthropic;
  const openai = (await made('openai', 'OpenAI')) as OpenAI;
  const google = (await made('google', 'GoogleGenAI')) as GoogleGenAI;
  expect(lines).toHaveLength(3);
  const answers = [
    (await anthropic.messages.create({ model: 'claude-haiku-4-5', max_tokens: 64, messages })).usage.input_tokens,
    (await openai.chat.completions.create({ model: 'gpt-4o-mini', messages })).usage?.prompt_tokens,
    (await google.models.generateContent({ model, contents: 'Hello' })).usageMetadata?.promptTokenCount,
  ];
  expect(answers).toEqual([10, 10, 10]);
});

test('the lines for Claude Code and Codex equal those on the page of a key', () => {
  const linesOf = (
    id: string,
    client: string,
    credential: KeyCredential = 'provider_key',
    key = '"$WRAPPED_KEY"',
  ): string =>
    PROVIDERS.filter((provider) => provider.id === id)
      .flatMap((provider) => clientLines(provider, ADDRESS, key, credential))
      .find((one) => one.client.startsWith(client))
      ?.lines.join('\n') ?? '';
  expect(findBlock('docs/clients.md', 'sh', 'ANTHROPIC_AUTH_TOKEN').trim()).toBe(linesOf('anthropic', 'Claude Code'));
  expect(findBlock('README.md', 'sh', 'ANTHROPIC_AUTH_TOKEN').trim()).toBe(linesOf('anthropic', 'Claude Code'));
  expect(findBlock('docs/clients.md', 'toml', 'env_key').trim()).toBe(linesOf('openai', 'Codex'));
  const withLogin = findBlock('docs/clients.md', 'toml', 'requires_openai_auth').trim();
  expect(withLogin).toBe(linesOf('openai', 'Codex', 'subscription', 'svc_sk_…'));
});

test.each([
  ['openai', 'Vercel AI SDK', 'ts', 'createOpenAI'],
  ['openai', 'LangChain', 'py', 'ChatOpenAI'],
  ['openai', 'LiteLLM', 'py', 'litellm'],
  ['google', 'Gemini CLI', 'json', 'selectedType'],
  ['google', 'and then, in a shell', 'sh', 'GEMINI_API_KEY'],
  ['anthropic', 'OpenCode', 'json', '"provider"'],
  ['openai', 'aider', 'sh', 'OPENAI_API_BASE'],
])('the lines for %s of %s equal those on the page of a key', (id, client, language, words) => {
  const lines = PROVIDERS.filter((provider) => provider.id === id)
    .flatMap((provider) => clientLines(provider, ADDRESS, 'svc_sk_…'))
    .find((one) => one.client.startsWith(client))?.lines;
  expect(findBlock('docs/clients.md', language, words).trim()).toBe(lines?.join('\n'));
});

test('the line for webhooks creates a webhook to a public address', async () => {
  const it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  const listener = getRequestListener((request) => it.ledger.fetch(request, { caller: 'owner' }), {
    overrideGlobalObjects: false,
  });
  const server = createServer((req, res) => void listener(req, res));
  server.listen(controlSocketPath(readConfig(it.env).dataDir));
  await once(server, 'listening');
  await print(lineWith('webhooks create'), {}, it.env);
  expect(await it.json<WebhookShape[]>('/api/mcp/webhooks')).toMatchObject([{ name: 'ops', type: 'SLACK' }]);
  server.close();
  await it.close();
});

test.each([
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
])('the verifier of %s takes what a signed webhook sends', async (_, Webhook) => {
  const it = await openTestLedger({ SVC_LOG_LEVEL: 'silent', SVC_WEBHOOK_ALLOW: '127.0.0.0/8,http' });
  await it.ledger.close();
  const receiver = await startReceiver();
  const create = `webhooks create --name own --type custom --event anomaly --url ${receiver.url}/x --json`;
  const { id } = JSON.parse(await print(create, {}, it.env)) as { id: string };
  const HOOK_SECRET = /whsec_\S+/.exec(await print(`webhooks secret ${id}`, {}, it.env))?.[0];
  await print(`webhooks test ${id}`, {}, it.env);
  const [{ body, headers } = { body: '', headers: {} }] = receiver.received;
  const verify = (bodyAsItCame: string): unknown =>
    runInNewContext(findBlock('docs/alerts.md', 'ts', 'HOOK_SECRET'), {
      Webhook,
      process: { env: { HOOK_SECRET } },
      bodyAsItCame,
      headers,
    });
  expect(() => verify(body)).not.toThrow();
  expect(() => verify(`${body} `)).toThrow('No matching signature found');
  await receiver.close();
  await it.close();
});

test('the line for sync uploads sessions of Claude Code', async () => {
  const random = seeded(1);
  const folder = join(home, '.claude', 'projects');
  writeClaudeTree(random, new Prose(random), { folder, bytes: 200_000, until: Date.now() - 86_400_000 });
  const SVC_API_KEY = await service.createToken(['sync:write']);
  const line = LINES.find((one) => one === 'sync claude-code') ?? '';
  expect(await print(line, {}, { SVC_API_KEY })).toMatch(/^Uploaded \d+ records of \d+ sessions/);
});

test('the lines for admin keys add them', async () => {
  const anthropic = await serveOrganization(new Organization({ provider: 'anthropic' }));
  const openai = await serveOrganization(new Organization({ provider: 'openai' }));
  const urls = { SVC_ANTHROPIC_URL: anthropic.url, SVC_OPENAI_URL: openai.url };
  const it = await openTestLedger({ SVC_LOG_LEVEL: 'silent', ...urls });
  await it.ledger.close();
  for (const line of tollbookLines(findBlock('docs/provider-reports.md', 'sh', 'admin-keys add')))
    await print(line, { stdin: `${ADMIN_KEY}\n` }, { ...it.env, OPENAI_ADMIN_KEY });
  const listed = await print('admin-keys list', {}, it.env);
  expect(listed).toMatch(/ main .*\n {2}anthropic {2}Double\n.* second .*\n {2}openai {2}example\n/);
  await it.close();
  await anthropic.close();
  await openai.close();
});

test('the lines for tools set them up and test them', async () => {
  writeFileSync(join(home, '.claude.json'), '{}');
  let SVC_API_KEY = '';
  const printed: string[] = [];
  for (const line of tollbookLines(findBlock('docs/tools.md', 'sh', 'tools --setup'))) {
    const out = await print(line, line === 'tools --setup' ? { typed: 'y\n' } : {}, { SVC_API_KEY });
    if (line.startsWith('tokens create')) SVC_API_KEY = secretIn(out);
    printed.push(out);
  }
  expect(printed[1]).toMatch(/^\nClaude Code: .*\n[^]*Written\./);
  expect(printed[2]).toMatch(/Codex: .*\n[^]*Written\./);
  expect(readFileSync(join(home, '.claude.json'), 'utf8')).toContain(SVC_API_KEY);
  expect(readFileSync(join(home, '.codex', 'config.toml'), 'utf8')).toContain(SVC_API_KEY);
  expect(JSON.parse(printed[3] ?? '')).toMatchObject({ service: { reachable: true, accepted: true } });
});

interface Servers {
  readonly mcpServers: { readonly tollbook: Readonly<Record<string, unknown>> };
}

test('the configuration by hand starts the tools, as a program and over HTTP', async () => {
  const token = await service.createToken();
  const serverIn = (words: string) =>
    (JSON.parse(findBlock('docs/tools.md', 'json', words)) as Servers).mcpServers.tollbook;
  const program = serverIn('"command": "tollbook", "args": ["tools"]');
  expect(program).toEqual({ command: 'tollbook', args: ['tools'], env: { SVC_API_KEY: 'svc_sk_...' } });
  const { host } = await connectStdio({ ...env, SVC_API_KEY: token });
  expect((await host.listTools()).tools).toHaveLength(tools.length);
  expect((await host.callTool({ name: 'svc_get_usage_summary' })).isError ?? false).toBe(false);
  await host.close();

  const overHttp = serverIn('/mcp"');
  expect(overHttp).toEqual({
    type: 'http',
    url: expect.stringMatching(/^https:[^?]*\/mcp$/),
    headers: { Authorization: 'Bearer svc_sk_...' },
  });
  const remote = await connectInProcess((request) => fetch(here(request.url), request), token);
  expect((await remote.callTool({ name: 'svc_get_usage_summary' })).isError ?? false).toBe(false);
  await remote.close();
});

test('the configuration for Codex equals what the setup writes', () => {
  const written = codexConfig('', { command: 'tollbook', args: ['tools'], env: {}, key: null });
  expect(findBlock('docs/tools.md', 'toml', 'mcp_servers')).toBe(written);
});
