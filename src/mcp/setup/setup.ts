import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { TollbookError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { hideSecrets } from '../../lib/crypto/hide-secrets.ts';
import { toIso } from '../../domain/time/period.ts';
import { diff } from './diff.ts';
import { holdsToken, type ToolHost, type LaunchCommand, type HostEnvironment } from './host.ts';
import { hosts } from './hosts.ts';

/** Mode of the file, because it may contain a token. */
const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OWNER_ONLY = 0o700;

export interface SetupOptions {
  /** Names of hosts; none = all installed hosts. */
  readonly names: readonly string[];
  readonly launch: LaunchCommand;
  readonly surroundings: HostEnvironment;
  readonly clock: Clock;
  readonly print: (text: string) => void;
  /** Asks whether to write the change that was shown. */
  readonly agree: (question: string) => Promise<boolean>;
}

/** Writes the tool server into the configuration of hosts: shows each change, asks, and keeps a copy of what was there. */
export async function setUp(options: SetupOptions): Promise<void> {
  const { names, surroundings, print } = options;
  const chosen = names.length > 0 ? names.map(hostNamed) : hosts.filter((host) => isThere(host, surroundings));
  if (chosen.length === 0) throw new TollbookError('not_found', `No supported host found. Name one: ${hostNames()}.`);
  const left: string[] = [];
  for (const host of chosen) {
    const file = realFile(host.file(surroundings));
    print(`\n${host.title}: ${file}\n`);
    try {
      await write(host, file, options);
    } catch (error) {
      if (!(error instanceof TollbookError) || error.type !== 'conflict') throw error;
      print(`Not changed. ${error.message.trimEnd()}\n`);
      left.push(host.title);
    }
  }
  if (left.length > 0)
    throw new TollbookError('conflict', `Not set up: ${left.join(', ')}. Add the lines above by hand.`);
}

async function write(host: ToolHost, file: string, { launch, print, agree, clock }: SetupOptions): Promise<void> {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const after = host.change(before, launch);
  if (after === before) return print('Already set up.\n');
  print(`\n${hideSecrets(diff(before, after))}\n\n`);
  const isSecret = launch.key !== null || holdsToken(after);
  if (!isSecret && host.keyNote !== null) print(`${host.keyNote}\n`);
  if (!(await agree(`Write this to ${file}?`))) return print('Not changed.\n');
  const backup = replace(file, after, { now: clock(), isSecret });
  print(`Written.${backup === null ? '' : ` The previous file is in ${backup}.`} Restart ${host.title}.\n`);
}

/** Whole or not at all, with the permissions it had; others may not read a token. */
function replace(file: string, text: string, { now, isSecret }: { now: number; isSecret: boolean }): string | null {
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  const there = existsSync(file);
  const backup = `${file}.before-tollbook-${toIso(now).replaceAll(/[:.]/g, '-')}`;
  const mode = (there ? statSync(file).mode : PRIVATE) & (isSecret ? OWNER_ONLY : 0o777);
  if (there) {
    copyFileSync(file, backup);
    chmodSync(backup, mode);
  }
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode });
  renameSync(draft, file);
  return there ? backup : null;
}

/** A link stays a link: what it leads to is written. */
function realFile(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}

/** Checks the host's folder, because its file may not exist yet. */
function isThere(host: ToolHost, surroundings: HostEnvironment): boolean {
  const file = host.file(surroundings);
  return existsSync(file) || (dirname(file) !== surroundings.home && existsSync(dirname(file)));
}

function hostNamed(name: string): ToolHost {
  const host = hosts.find((one) => one.name === name.trim().toLowerCase());
  if (!host) throw new TollbookError('invalid', `Unknown host "${name}"; use one of ${hostNames()}.`);
  return host;
}

function hostNames(): string {
  return hosts.map(({ name }) => name).join(', ');
}
