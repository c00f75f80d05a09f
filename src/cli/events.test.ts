import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runLine } from '../../test/run-line.ts';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';

let it: TestLedger;
beforeAll(async () => {
  it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  await it.ledger.close();
});
afterAll(() => it.close());

const event = (id: string, more: object = {}): string =>
  JSON.stringify({
    id,
    time: new Date(NOW).toISOString(),
    provider: 'openai',
    model: 'gpt-5',
    inputTokens: 9,
    outputTokens: 1,
    ...more,
  });

async function send(lines: readonly string[], more = ''): Promise<{ code: number; out: string; err: string }> {
  const path = join(it.folder, 'events.jsonl');
  writeFileSync(path, lines.join('\n'));
  const ran = await runLine(`events send ${path} ${more}`, { env: it.env, clock: () => NOW });
  return { ...ran, err: ran.err.replaceAll(it.folder, '') };
}

test('events of a file are sent in requests of a thousand, and those that are known change nothing', async () => {
  const lines = Array.from({ length: 2_100 }, (_, index) => event(`e${index}`));
  expect(JSON.parse((await send([...lines, ''], '--json')).out)).toEqual({ events: 2_100, stored: 2_100, known: 0 });
  const { out } = await send(['', event('new'), ...lines.slice(0, 5)]);
  expect(out).toBe('1 new event, 5 known before.\n');
});

test('large events are sent in smaller requests', async () => {
  const tags = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`tag${index}`, 'ü'.repeat(250)]));
  const lines = Array.from({ length: 300 }, (_, index) => event(`large${index}`, { tags }));
  expect(JSON.parse((await send(lines, '--json')).out)).toEqual({ events: 300, stored: 300, known: 0 });
});

test.each([
  [[event('a'), '{"id":'], 'events.jsonl:2: This is not a JSON object'],
  [['[]'], 'events.jsonl:1: This is not a JSON object'],
  [['', '  '], 'has no events'],
  [['', event('bad', { inputTokens: -1 })], 'events.jsonl:2: '],
  [[event('ok'), event('old', { time: '2020-01-01T00:00:00Z' })], 'events.jsonl:2: time is more than 30 days ago'],
])('a wrong line is named (%#)', async (lines, message) => {
  const { code, err } = await send(lines);
  expect(code).toBe(1);
  expect(err).toContain(message);
});
