import { globSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AdminKeyShape } from '../../src/contract/admin-keys.ts';
import { fact } from '../organization-ledger.ts';
import { ADMIN_KEY, Organization, serveOrganization } from '../doubles/admin-api.ts';
import { eventually, type Service, startService } from '../service.ts';
import { DAY_MS } from '../../src/domain/time/units.ts';

// An admin key goes through everything that can happen to one; then whatever the service wrote, printed or answered is
// searched for it.

/** Some twenty processes are started, one after the other. */
const TEST_MS_MAX = 120_000;
const NEXT_KEY = 'sk-ant-admin01-the-next-of-the-double-9876543210';
const WRONG_KEY = 'sk-ant-admin01-a-wrong-one-of-nobody-0123456789';
const KEYS = [ADMIN_KEY, NEXT_KEY, WRONG_KEY];

/** A key in every form that something may have put it into. */
function formsOf(key: string): string[] {
  const bytes = Buffer.from(key);
  // Base64 by where in its group of three bytes the key begins; the ends are shared with what stands beside it.
  const base64 = [0, 1, 2].map((at) =>
    Buffer.concat([Buffer.alloc(at), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [key, key.slice('sk-ant-admin01-'.length, -4), ...base64, bytes.toString('hex'), bytes.toString('utf16le')];
}

const FORMS = KEYS.flatMap(formsOf);

function findIn(places: Readonly<Record<string, string | Buffer>>): string[] {
  return Object.entries(places).flatMap(([place, content]) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    return FORMS.some((form) => bytes.includes(form)) ? [place] : [];
  });
}

function filesOf(folder: string): Record<string, Buffer> {
  const files = globSync('**/*', { cwd: folder }).filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [join(folder, name), readFileSync(join(folder, name))]));
}

/** What anybody on the machine may list of every process, and what the service was started with. */
function processes(pid: number): Record<string, Buffer> {
  const listed = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const read = (file: string): [string, Buffer][] => {
    try {
      return [[file, readFileSync(file)]];
    } catch {
      return [];
    }
  };
  return Object.fromEntries([...listed.flatMap((id) => read(`/proc/${id}/cmdline`)), ...read(`/proc/${pid}/environ`)]);
}

test(
  'an admin key is in no log, error, answer, file, backup, export, metric or list of processes',
  async () => {
    const day = Date.now() - (Date.now() % DAY_MS) - 5 * DAY_MS;
    const organization = new Organization({ provider: 'anthropic', facts: [fact({ day }), fact({ day, key: null })] });
    const server = await serveOrganization(organization);
    const dataDir = await mkdtemp(join(tmpdir(), 'tollbook-secrecy-'));
    const outside = await mkdtemp(join(tmpdir(), 'tollbook-backup-'));
    const env = { SVC_LOG_LEVEL: 'trace' };
    const service: Service = await startService({ urls: { anthropic: server.url }, env, dataDir });
    onTestFinished(async () => {
      await service.close();
      await server.close();
      for (const folder of [dataDir, outside]) await rm(folder, { recursive: true, force: true });
    });
    const said: Record<string, string> = {};
    const run = async (line: string, stdin = ''): Promise<unknown> => {
      try {
        const answer = await service.command<unknown>(line.split(' '), stdin);
        said[line] = JSON.stringify(answer);
        return answer;
      } catch (error) {
        said[`${line}, refused`] = String(error);
        return null;
      }
    };
    const list = () => service.report<AdminKeyShape[]>('/api/manage/admin-keys');
    const add = 'admin-keys add --provider anthropic --name main --key-stdin';
    await run(add, WRONG_KEY);
    const { id } = (await run(add, ADMIN_KEY)) as AdminKeyShape;
    await run(add, ADMIN_KEY);
    await run('admin-keys add --provider openai --name other --key-stdin', ADMIN_KEY);
    await eventually(list, ([key]) => key?.progress.daysDone === key?.progress.daysTotal);
    organization.faults.push('html', { status: 500 }, 'cut off', 'hang up');
    await run(`admin-keys sync ${id}`);
    organization.isKeyGood = false;
    await run(`admin-keys sync ${id}`);
    await eventually(list, ([key]) => key?.state === 'paused');
    await run(`admin-keys replace ${id} --key-stdin`, WRONG_KEY);
    organization.isKeyGood = true;
    organization.key = NEXT_KEY;
    await run(`admin-keys replace ${id} --key-stdin`, NEXT_KEY);
    for (const line of ['list', `pause ${id}`, `resume ${id}`]) await run(`admin-keys ${line}`);
    const day0 = new Date(day).toISOString().slice(0, 10);
    for (const line of [
      `reconcile --from ${day0}`,
      'reconcile --coverage',
      'audit',
      'alerts list',
      'doctor',
      'keys list',
    ])
      await run(line);
    mkdirSync(join(outside, 'parent'));
    await run(`backup ${join(outside, 'parent', 'copy')}`);
    const token = await service.createToken(['admin']);
    const paths = [
      '/metrics',
      '/openapi.json',
      '/api/manage/export?format=jsonl',
      '/api/manage/export',
      '/api/manage/audit',
    ];
    for (const path of [...paths, '/api/mcp/alerts', `/api/manage/admin-keys/${encodeURIComponent(ADMIN_KEY)}`]) {
      const answer = await fetch(`${service.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
      // Whoever puts a key into an address gets it back in no answer.
      said[path.slice(0, 30)] = await answer.text();
    }
    await run(`admin-keys remove ${id}`);
    const printed = { 'what the service printed': service.output() };
    const found = findIn({ ...said, ...printed, ...filesOf(dataDir), ...filesOf(outside), ...processes(service.pid) });
    expect(found).toEqual([]);
    expect(Object.keys(filesOf(outside)).some((name) => name.endsWith('ledger.db'))).toBe(true);
    expect(said['/metrics']).toContain('tollbook_reports_on');
    expect(Object.keys(said).filter((line) => line.endsWith('refused')).length).toBeGreaterThan(2);
    // The search finds what is there.
    expect(findIn({ 'a secret': Buffer.from(`x${NEXT_KEY}`).toString('base64') })).toEqual(['a secret']);
  },
  TEST_MS_MAX,
);
