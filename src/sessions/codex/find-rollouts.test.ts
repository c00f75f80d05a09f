import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HostEnvironment } from '../reading/source.ts';
import { CODEX } from './codex.ts';

const DAY = 'sessions/2026/09/10';
const NAME = 'rollout-2026-09-10T12-00-00-01993b3c-0000-7000-8000-000000000001';
let home: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'codex-')));
});
afterEach(() => rmSync(home, { recursive: true }));

function places(env: HostEnvironment['env'] = {}, platform: HostEnvironment['platform'] = 'linux'): HostEnvironment {
  return { home, platform, env };
}

function put(path: string, text = '{}\n'): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

async function found(env: HostEnvironment['env'] = {}): Promise<string[]> {
  const files = await CODEX.find({ home, platform: process.platform, env });
  return files.map(({ path }) => relative(home, path).replaceAll('\\', '/')).toSorted();
}

describe('the searched folders', () => {
  it('are those of Codex and of what other builds use', () => {
    expect(CODEX.host({ home: '/h', platform: 'linux', env: {} })).toEqual([
      '/h/.codex/sessions',
      '/h/.codex/archived_sessions',
      '/h/.config/codex/sessions',
      '/h/.config/codex/archived_sessions',
      '/h/.local/share/codex/sessions',
      '/h/.local/share/codex/archived_sessions',
    ]);
  });

  it('have the form of the platform', () => {
    const folders = CODEX.host({ home: 'C:\\Users\\ada', platform: 'win32', env: {} });
    expect(folders[0]).toBe('C:\\Users\\ada\\.codex\\sessions');
    expect(CODEX.host({ home: '/h', platform: 'darwin', env: {} })[0]).toBe('/h/.codex/sessions');
  });

  it('are replaced by what the environment names, several and from the home', () => {
    const env = { CODEX_HOME: '~/a, /b ,', XDG_CONFIG_HOME: '/x' };
    expect(CODEX.host(places(env))).toEqual([
      `${home}/a/sessions`,
      `${home}/a/archived_sessions`,
      '/b/sessions',
      '/b/archived_sessions',
    ]);
    const folders = CODEX.host(places({ ...env, SVC_CODEX_SESSIONS_DIR: '/mine' }));
    expect(folders).toEqual(['/mine/sessions', '/mine/archived_sessions']);
  });
});

describe('the rollouts that are found', () => {
  it('include active, archived and compressed rollouts and pages, each with its thread, but no drafts', async () => {
    put(`.codex/${DAY}/${NAME}.jsonl`);
    put(`.codex/${DAY}/${NAME}_0199-page.jsonl`);
    put('.codex/archived_sessions/rollout-2026-09-11T12-00-00-other.jsonl.zst');
    put(`.codex/${DAY}/rollout-2026-09-12T12-00-00-draft.jsonl.zst.tmp`);
    put('.codex/state.sqlite');
    const files = await CODEX.find(places());
    const reported = files.map(({ sessionId, compressed }) => `${sessionId} ${compressed ?? 'plain'}`);
    expect(reported.toSorted()).toEqual([
      '01993b3c-0000-7000-8000-000000000001 plain',
      '01993b3c-0000-7000-8000-000000000001 plain',
      'other zstd',
    ]);
  });

  it('are each found once: active before archived, plain before compressed, the longer of two homes', async () => {
    put(`.codex/${DAY}/${NAME}.jsonl.zst`, 'longer than the plain one');
    put(`.codex/archived_sessions/${NAME}.jsonl`);
    expect(await found()).toEqual([`.codex/${DAY}/${NAME}.jsonl.zst`]);
    put(`.codex/${DAY}/${NAME}.jsonl`);
    expect(await found()).toEqual([`.codex/${DAY}/${NAME}.jsonl`]);
    put(`.config/codex/${DAY}/${NAME}.jsonl`, '{}\n{}\n');
    expect(await found()).toEqual([`.config/codex/${DAY}/${NAME}.jsonl`]);
  });

  it('may be in a configured sessions folder or home', async () => {
    put(`kept/${NAME}.jsonl`);
    put('kept/foreign/a.jsonl');
    put('kept/other/a.jsonl');
    const all = [`kept/${NAME}.jsonl`, 'kept/foreign/a.jsonl', 'kept/other/a.jsonl'].toSorted();
    expect(await found({ SVC_CODEX_SESSIONS_DIR: join(home, 'kept') })).toEqual(all);
    put(`whole/${DAY}/${NAME}.jsonl`);
    expect(await found({ SVC_CODEX_SESSIONS_DIR: '~/whole' })).toEqual([`whole/${DAY}/${NAME}.jsonl`]);
  });

  it('may be behind links, including cycles', async () => {
    put(`elsewhere/2026/${NAME}.jsonl`);
    mkdirSync(join(home, '.codex'));
    symlinkSync(join(home, 'elsewhere'), join(home, '.codex/sessions'), 'junction');
    symlinkSync(join(home, 'elsewhere'), join(home, 'elsewhere/back'), 'junction');
    expect(await found()).toEqual([`.codex/sessions/2026/${NAME}.jsonl`]);
  });

  it('are none in an empty folder', async () => {
    expect(await found()).toEqual([]);
  });
});
