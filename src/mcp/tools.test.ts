import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tools } from './tools.ts';

const README = readFileSync('src/mcp/README.md', 'utf8');

test('tool names are unique, and the README has a row for each, in their order', () => {
  const names = tools.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(README.split('\n').flatMap((line) => /^\| `(svc_\w+)`/.exec(line)?.[1] ?? [])).toEqual(names);
});

/** Tests in which a host calls tools and reads their answers. */
const HOST_TESTS = ['over-http', 'session-tools', 'stdio', 'sync'].map((name) => `src/mcp/${name}.test.ts`);
const HOST_TEST_TEXT = HOST_TESTS.map((file) => readFileSync(file, 'utf8')).join('\n');

test.each(tools.map(({ name, needsFiles }) => [name, needsFiles] as const))(
  'a host calls %s in a test',
  (name, needsFiles) => {
    const file = `src/mcp/${needsFiles ? 'stdio' : 'over-http'}.test.ts`;
    expect(
      new RegExp(`['"\`]${name}['"\`]`).test(HOST_TEST_TEXT),
      `No test calls ${name}: show an answer of it with real data in ${file}`,
    ).toBe(true);
  },
);

test.each(
  tools.flatMap((tool) => {
    const file = `src/mcp/${tool.name.replace(/^svc_/, '').replaceAll('_', '-')}.ts`;
    const methods = [...readFileSync(file, 'utf8').matchAll(/\bmethod: '([A-Z]+)'/g)].map(([, method]) => method);
    return methods.length > 0 ? [[tool.name, file, methods, tool.hints.readOnly] as const] : [];
  }),
)('%s says readOnly exactly when it asks only by GET', (name, file, methods, readOnly) => {
  expect(
    readOnly,
    `${file}: ${name} asks by ${methods.join(' and ')}, so hints.readOnly must say whether it changes nothing`,
  ).toBe(methods.every((method) => method === 'GET'));
});
