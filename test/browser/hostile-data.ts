import type { Page } from 'playwright-core';
import type { ProviderDouble } from '../doubles/provider-double.ts';
import type { Receiver } from '../doubles/receiver.ts';
import { PATHS } from '../e2e/bad/bad-request.ts';
import { eventually, type Service } from '../service.ts';

/** Text that breaks out of a page built by concatenation. */
export const MARKUP = '"><script>globalThis.broken=1</script><img src=x onerror=globalThis.broken=1>';
/** Text that changes its direction: names refuse it, but tags and models may contain it. */
const TURNED = '\u202E\u2067=cmd|calc!A1\u200F';
const LINK = 'javascript:globalThis.broken=1';
export const FORMULA = '=HYPERLINK("http://127.0.0.1:9/","click")';
/** Text without a line break opportunity. */
export const LONG = 'x'.repeat(10_000);

type Ask = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** Returns a function that calls the API as the signed-in user of the page, and throws on errors. */
export function asker(page: Page): Ask {
  return async (method, path, body) => {
    const init = {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    };
    const answer = await page.evaluate<{ status: number; text: string }>(
      `fetch(${JSON.stringify(path)}, ${JSON.stringify(init)}).then(async (it) => ({ status: it.status, text: await it.text() }))`,
    );
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as unknown;
  };
}

/** Fills every field that people or programs can write with hostile text. */
export async function fillHostile(
  ask: Ask,
  service: Service,
  double: ProviderDouble,
  receiver: Receiver,
): Promise<void> {
  await ask('PATCH', '/api/manage/workspaces/ws_default', { name: MARKUP });
  await ask('POST', '/api/mcp/webhooks', {
    name: MARKUP,
    url: `${receiver.url}/${encodeURIComponent(MARKUP)}`,
    type: 'CUSTOM',
    events: ['BUDGET_EXCEEDED', 'BUDGET_WARNING'],
  });
  for (const name of [MARKUP, LINK, FORMULA]) await ask('POST', '/api/manage/tokens', { name, scopes: ['usage:read'] });
  const limit = {
    scope: { kind: 'tag', key: 'team', value: MARKUP },
    unit: 'calls',
    amount: 1,
    window: 'day',
    action: 'warn',
    thresholds: [50, 100],
  };
  await ask('POST', '/api/manage/limits', { ...limit, label: MARKUP });
  for (const [name, email] of PEOPLE) await join(ask, service, { name, email });
  const calls = [MARKUP, TURNED, LINK, FORMULA];
  for (const text of calls) {
    const key = await service.createKey('anthropic', { name: text === TURNED ? 'turned' : text, tags: { of: text } });
    await call(service, double, key, text);
  }
  const key = await service.createKey('anthropic', { name: 'x'.repeat(100) });
  await call(service, double, key, LONG.slice(0, 256));
  await eventually(
    () => service.report<{ totalCalls: number }>('/api/mcp/usage/summary'),
    ({ totalCalls }) => totalCalls === calls.length + 1,
  );
}

/** People with hostile names of the maximum length. */
const PEOPLE = [
  [MARKUP, "it's+1@example.com"],
  [FORMULA, '-1+1@example.com'],
  [LONG.slice(0, 100), `${LONG.slice(0, 60)}@${LONG.slice(0, 60)}.${LONG.slice(0, 60)}.example.com`],
] as const;

/** Adds a new viewer. */
async function join(ask: Ask, { baseUrl }: Service, person: { name: string; email: string }): Promise<void> {
  const { link } = (await ask('POST', '/api/manage/invitations', { role: 'viewer' })) as { link: string };
  const body = { ...person, code: new URL(link).hash.slice(1), password: 'correct horse battery' };
  const headers = { origin: baseUrl, 'content-type': 'application/json' };
  const answer = await fetch(`${baseUrl}/api/account/accept`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
}

/** Sends a call with the text as tag, model and user agent, and in the model of the response. */
async function call(service: Service, double: ProviderDouble, key: string, text: string): Promise<void> {
  double.plan({ model: `claude-${text}` });
  const headers = {
    'x-api-key': key,
    'user-agent': encodeURIComponent(text),
    'x-svc-tag-team': encodeURIComponent(text),
    'x-svc-tag-feature': encodeURIComponent(text),
  };
  const body = JSON.stringify({
    model: 'claude-haiku-4-5',
    max_tokens: 64,
    messages: [{ role: 'user', content: text }],
  });
  const answer = await fetch(service.baseUrl + PATHS.anthropic, { method: 'POST', headers, body });
  await answer.text();
}
