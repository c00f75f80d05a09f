import { expect, test } from 'vitest';
import { clientGroups } from './client-lines.tsx';

const clients = [
  { client: 'curl', lines: ['curl URL \\', '-H "authorization: Bearer <WRAPPED_KEY>"'] },
  { client: 'TypeScript (openai)', lines: ["apiKey: '<WRAPPED_KEY>'"] },
  { client: 'Codex: at the top of ~/.codex/config.toml', lines: ['model_provider = "tollbook"'] },
  { client: 'and then, in a shell', lines: ['TOLLBOOK_KEY=<WRAPPED_KEY> codex'] },
];

test('each client has a short name and keeps its follow-up steps', () => {
  const groups = clientGroups({ placeholder: '<WRAPPED_KEY>', clients }, 'svc_sk_1');
  expect(groups.map(({ name, steps }) => [name, steps.length])).toEqual([
    ['curl', 1],
    ['TypeScript', 1],
    ['Codex', 2],
  ]);
});

test('the key replaces every placeholder, and the placeholder stays when the key is unknown', () => {
  const text = (secret: string | null): string =>
    JSON.stringify(clientGroups({ placeholder: '<WRAPPED_KEY>', clients }, secret));
  expect(text('svc_sk_1').match(/svc_sk_1/g)).toHaveLength(3);
  expect(text('svc_sk_1')).not.toContain('<WRAPPED_KEY>');
  expect(text(null).match(/<WRAPPED_KEY>/g)).toHaveLength(3);
});
