import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endpoints } from '../src/api/endpoints.ts';
import { checkCommand } from './command-line.ts';
import { runLine } from './run-line.ts';
import { openTestBook } from './test-book.ts';

const pages = globSync('*.md');
const readme = readFileSync('README.md', 'utf8');

/** Contents of the fenced blocks in one language, a command per line. */
function blocks(page: string, language: string): string[] {
  const found = page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'));
  return [...found].map(([, text]) => (text ?? '').replaceAll('\\\n', ' '));
}

/** Words of each `tollbook` command in the page, whether in a block or within a sentence. */
function commandsOf(page: string): string[][] {
  const lines = blocks(page, 'sh').flatMap((block) => block.split('\n'));
  const sentences = [...page.matchAll(/`((?:npx )?tollbook [^`]+|npm start -- [^`]+)`/g)].map(([, text]) => text ?? '');
  return [...lines, ...sentences].flatMap((line) => {
    const command = /(?:^|\| *)(?:npx tollbook|tollbook|npm start --(?= )) *(.*)$/.exec(line);
    if (!command) return [];
    const words = (command[1] ?? '')
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '');
    return [line.includes('npm start --') ? ['serve', ...words] : words];
  });
}

test('every command that a page shows exists, with those flags', async () => {
  const commands = pages.flatMap((path) => commandsOf(readFileSync(path, 'utf8')));
  expect(commands.length).toBeGreaterThan(8);
  for (const words of new Set(commands.map((each) => each.join(' ')))) await checkCommand(words.split(' '));
});

test('every request that the README shows is well formed and has an endpoint', () => {
  const requests = blocks(readme, 'sh').flatMap((block) =>
    block.split('\n').filter((line) => line.startsWith('curl ')),
  );
  const served = new Set(endpoints.map(({ path }) => path));
  const missing = requests
    .map((line) => new URL(/http:[^\s']+/.exec(line)?.[0] ?? '').pathname)
    .filter((path) => !path.startsWith('/api/proxy/') && !served.has(path));
  expect({ count: requests.length, missing }).toEqual({ count: 4, missing: [] });
  for (const line of requests) {
    const body = /-d '([^']*)'/.exec(line)?.[1];
    if (body !== undefined) expect(JSON.parse(body)).toHaveProperty('model');
  }
});

test('the limits, policies and file of the README are taken as they stand there', async () => {
  const it = await openTestBook({ SVC_LOG_LEVEL: 'silent' });
  const env = { ...it.env, ANTHROPIC_API_KEY: 'sk-good-provider-key-11111111' };
  const { id } = await it.createKey('first');
  await it.book.close();
  const file = join(it.folder, 'tollbook.yaml');
  writeFileSync(file, blocks(readme, 'yaml').find((block) => block.includes('providerKeyEnv')) ?? '');
  const lines = blocks(readme, 'sh')
    .flatMap((block) => block.split('\n'))
    .filter((line) => /^npx tollbook (limits (set|list)|policies|apply) /.test(`${line} `));
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) {
    const command = line.slice('npx tollbook '.length).replace('key_1', id).replace('tollbook.yaml', file);
    const { code, err } = await runLine(command, { env });
    expect({ line, code, err: err.startsWith('Note: ') ? '' : err }).toEqual({ line, code: 0, err: '' });
  }
  await it.close();
});

test('the lines about local usage run in an empty home, and the status line is one', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tollbook-home-'));
  const env = { HOME: home, USERPROFILE: home, LOCALAPPDATA: home };
  const lines = blocks(readme, 'sh')
    .flatMap((block) => block.split('\n'))
    .filter((line) => line.startsWith('npx tollbook usage'));
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) {
    const { code, err } = await runLine(line.slice('npx tollbook '.length), { env });
    expect({ line, code, err: err.startsWith('Note: No ') ? '' : err }).toEqual({ line, code: 0, err: '' });
  }
  const settings = blocks(readme, 'json').find((block) => block.includes('statusLine')) ?? '';
  const { statusLine } = JSON.parse(settings) as { statusLine: { command: string } };
  const shown = await runLine(statusLine.command.slice('tollbook '.length), { env, stdin: '{}' });
  expect(shown).toEqual({ code: 0, out: '$0.00 today\n', err: '' });
  rmSync(home, { recursive: true });
});

test('the settings in the README are the settings there are', () => {
  const table = /<!-- settings -->([\s\S]*)<!-- \/settings -->/.exec(readme)?.[1] ?? '';
  const config = readFileSync('src/config.ts', 'utf8');
  const read = namesIn(config, /'(SVC_[A-Z_]+)'/g);
  for (const provider of ['ANTHROPIC', 'GOOGLE', 'OPENAI']) read.add(`SVC_${provider}_URL`);
  const told = namesIn(table, /`(SVC_[A-Z_]+)`/g);
  expect([...told].toSorted()).toEqual([...read].toSorted());
});

function namesIn(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''));
}

test('every link between the pages leads somewhere', () => {
  const broken = pages.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .map(([, target]) => target ?? '')
      .filter((target) => !existsSync(target))
      .map((target) => `${path} → ${target}`),
  );
  expect(broken).toEqual([]);
});

test('the tables that benchmarks fill have their places', () => {
  for (const name of ['proxy', 'reports'])
    expect(readme).toMatch(new RegExp(`<!-- bench:${name} -->[\\s\\S]*<!-- /bench:${name} -->`));
});
