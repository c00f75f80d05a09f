import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ALERT_TYPES } from '../src/domain/alerts/alert.ts';
import { checkCommand } from './command-line.ts';
import { addPerson } from './people.ts';
import { findBlock, MANUAL, MANUAL_PAGES, readBlocks, tollbookLines } from './manual.ts';
import { runLine } from './run-line.ts';
import { openTestLedger } from './test-ledger.ts';

const pages = globSync(['*.md', 'docs/*.md']);

/** Words of each `tollbook` command in the page, whether in a block or within a sentence. */
function commandsOf(page: string): string[][] {
  const lines = readBlocks(page, 'sh').flatMap((block) => block.split('\n'));
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

test('every command in the docs exists, with its flags', async () => {
  const commands = pages.flatMap((path) => commandsOf(readFileSync(path, 'utf8')));
  expect(commands.length).toBeGreaterThan(8);
  for (const words of new Set(commands.map((each) => each.join(' ')))) await checkCommand(words.split(' '));
});

/** Commands that need more than a data folder (a name server, a service, a provider, input): `manual.test.ts` runs them. */
const ELSEWHERE = ['webhooks create', 'sync claude-code', 'admin-keys add', 'tools --setup', 'tools --self-test'];
const LOST = { outcome: 'lost', uncertainReason: 'crash', usageSource: 'none', usage: null, cost: null } as const;

test('every command of the manual runs as it is written', async () => {
  const it = await openTestLedger({ SVC_LOG_LEVEL: 'silent' });
  await addPerson(it, 'Ada', 'viewer');
  await it.ship([it.entry({ ...LOST, callId: 'call_1' })]);
  await it.ledger.close();
  const home = { HOME: it.folder, USERPROFILE: it.folder, LOCALAPPDATA: it.folder };
  const env = { ...it.env, ...home, ANTHROPIC_API_KEY: 'sk-good-provider-key-11111111' };
  const at = (name: string): string => join(it.folder, name);
  writeFileSync(at('tollbook.yaml'), findBlock('docs/policies.md', 'yaml', 'providerKeyEnv'));
  writeFileSync(at('spend.csv'), 'time,cost\n2026-03-01T00:00:00Z,1\n');
  const ours = new Map([
    ...['tollbook.yaml', 'spend.csv'].map((name) => [name, at(name)] as const),
    ['/backups/tollbook', at('copy')],
  ]);
  const lines = readBlocks(MANUAL, 'sh').flatMap(tollbookLines);
  expect(ELSEWHERE.filter((start) => !lines.some((line) => line.startsWith(start)))).toEqual([]);
  for (const line of new Set(lines)) {
    if (ELSEWHERE.some((start) => line.startsWith(start)) && !line.endsWith(' --dry-run')) continue;
    const words = line.split(/ +/).map((word) => ours.get(word) ?? word);
    const { code, err } = await runLine(words.join(' '), { env });
    expect({ line, code, err: err.startsWith('Note: ') ? '' : err }).toEqual({ line, code: 0, err: '' });
  }
  await it.close();
});

test('the status line of the manual prints a status line', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tollbook-home-'));
  const env = { HOME: home, USERPROFILE: home, LOCALAPPDATA: home };
  const { statusLine } = JSON.parse(findBlock('docs/local-usage.md', 'json', 'statusLine')) as {
    statusLine: { command: string };
  };
  const shown = await runLine(statusLine.command.slice('tollbook '.length), { env, stdin: '{}' });
  expect(shown).toEqual({ code: 0, out: '$0.00 today\n', err: '' });
  rmSync(home, { recursive: true });
});

test('the manual lists every setting, and no other', () => {
  const page = readFileSync('docs/settings.md', 'utf8');
  const table = /<!-- settings -->([\s\S]*)<!-- \/settings -->/.exec(page)?.[1] ?? '';
  const config = readFileSync('src/config.ts', 'utf8');
  const read = namesIn(config, /'(SVC_[A-Z_]+)'/g);
  const found = namesIn(table, /`(SVC_[A-Z_]+)`/g);
  expect([...found].toSorted()).toEqual([...read].toSorted());
});

test('the manual lists every alert type, and no other', () => {
  const page = readFileSync('docs/alerts.md', 'utf8');
  const rows = /^## Events$([\s\S]*?)^## /m.exec(page)?.[1] ?? '';
  const listed = namesIn(rows.replaceAll(/^(\|[^|]*)\|.*$/gm, '$1'), /`([a-z_]+)`/g);
  const aliases = ['budget_alert', 'anomaly'];
  expect([...listed].toSorted()).toEqual([...ALERT_TYPES.map((type) => type.toLowerCase()), ...aliases].toSorted());
});

function namesIn(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''));
}

interface Walls {
  readonly default: {
    readonly forbidden: readonly { readonly name: string; readonly to: { readonly pathNot?: string } }[];
  };
}

test('ARCHITECTURE.md lists every folder and what each may import', async () => {
  const rows = readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/^\| `([\w/-]+)\/` +\|[^|]*\|[^|]*\| ([^|]*?) +\|$/gm);
  const found = new Map([...rows].map(([, folder = '', imports = '']) => [folder, imports]));
  const folders = globSync('src/*/').map((path) => basename(path));
  expect(folders.filter((folder) => !found.has(folder))).toEqual([]);
  const file = new URL('../.dependency-cruiser.mjs', import.meta.url).href;
  const { forbidden } = ((await import(file)) as Walls).default;
  const walls = forbidden.flatMap(({ name, to }) =>
    name.startsWith('walls-of-') ? [{ name: name.slice(9), to }] : [],
  );
  expect(walls.length).toBeGreaterThan(15);
  for (const { name, to } of walls) {
    const open = [...(to.pathNot ?? '').matchAll(/src\/([\w-]+(?:\/[\w-]+)?)/g)]
      .map(([, room = '']) => room)
      .filter((room) => room !== name);
    const imports = found.get(name)?.split(', ') ?? [];
    expect([name, imports.filter((one) => !one.startsWith('nothing')).toSorted()]).toEqual([name, open.toSorted()]);
  }
});

test('the README links to every page of the manual', () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(MANUAL_PAGES.slice(1).filter((page) => !readme.includes(`](${page})`))).toEqual([]);
});

test('every link between pages works', () => {
  const broken = pages.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .map(([, target]) => target ?? '')
      .filter((target) => !existsSync(join(dirname(path), target)))
      .map((target) => `${path} → ${target}`),
  );
  expect(broken).toEqual([]);
});

test('every benchmark table has exactly one place', () => {
  const written = globSync('bench/*.ts').flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/writeIntoPage\('([\w-]+)'/g)].map(([, name]) => name ?? ''),
  );
  const texts = MANUAL + readFileSync('bench/README.md', 'utf8');
  const places = [...texts.matchAll(/<!-- bench:([\w-]+) -->[^]*?<!-- \/bench:\1 -->/g)].map(([, name]) => name ?? '');
  expect(places.toSorted()).toEqual(written.toSorted());
});
