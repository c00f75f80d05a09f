import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { telemetrySetup } from './telemetry-lines.ts';

const TARGET = { baseUrl: 'http://localhost:4700', token: '<token>' };

test.each(['claude-code', 'codex', 'gemini-cli', 'other'])('the manual has the lines of %s', (name) => {
  const [, ...lines] = telemetrySetup([name], TARGET).split('\n');
  expect(readFileSync('docs/telemetry.md', 'utf8')).toContain(lines.join('\n').trim());
});

test('without names, the lines of all programs are shown, with address and token', () => {
  const text = telemetrySetup([], { baseUrl: 'https://tollbook.example', token: 'svc_sk_x' });
  expect(text.match(/https:\/\/tollbook\.example/g)).toHaveLength(4);
  expect(text.match(/Authorization"? ?= ?"?Bearer svc_sk_x/g)).toHaveLength(4);
});

test('an unknown program is refused, with those that are known', () => {
  expect(() => telemetrySetup(['emacs'], TARGET)).toThrow('claude-code, codex, gemini-cli, other');
});
