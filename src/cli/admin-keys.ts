import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import type { AdminKeyShape } from '../contract/admin-keys.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import type { Client } from './client.ts';
import { countedText, progressLine } from './progress-line.ts';
import { shareText } from './coverage-text.ts';
import { plainText, tableWithNotes } from './table.ts';
import type { CommandTerminal } from './terminal.ts';
import { TollbookError } from '../domain/errors.ts';
import { readSecret, readVariable } from './keys.ts';
import { formatShortTime } from '../domain/text/dates.ts';

/** Names of the states for people. */
export const STATE_WORDS: Readonly<Record<AdminKeyShape['state'], string>> = {
  syncing: 'reading',
  idle: 'up to date',
  paused: 'paused',
  failing: 'in trouble',
};

/** The provider reports the spend of an organization to each workspace that syncs it. */
export const READ_ELSEWHERE =
  'Another workspace syncs the same organization: spend outside the gateway is counted in both.';

/** An admin key and how far its reports were read, in sentences. */
export function describeAdminKey(key: AdminKeyShape): string {
  const { id, name, provider, organization, state, problem, progress, sharedWithOtherWorkspaces } = key;
  const whose = organization.name ?? organization.id;
  const lines = [
    `Admin key "${plainText(name)}" (${id})`,
    `syncs the reports of ${whose === null ? 'an organization' : plainText(whose)} at ${provider}.`,
  ];
  if (sharedWithOtherWorkspaces) lines.push(READ_ELSEWHERE);
  if (state === 'paused')
    lines.push(`It is paused. ${problem ?? ''}`.trim(), `Resume it: tollbook admin-keys resume ${id}`);
  else if (progress.daysDone < progress.daysTotal)
    lines.push(
      `${progress.daysDone} of ${progress.daysTotal} days synced, newest first.`,
      'Progress: tollbook admin-keys list',
    );
  else lines.push('All days are synced; new ones follow every five minutes.');
  return lines.join('\n');
}

interface Options {
  readonly keyStdin?: boolean;
  readonly keyEnv?: string;
}

/** Never as an argument: those are seen by everybody on the machine. */
export async function readAdminKey({ keyStdin, keyEnv }: Options, { terminal }: CliEnvironment): Promise<string> {
  if ((keyStdin === true) === (keyEnv !== undefined))
    throw new TollbookError('invalid', 'Use --key-stdin or --key-env NAME.');
  if (keyEnv !== undefined) return readVariable(keyEnv, terminal);
  return await readSecret('Paste the admin key and end with Ctrl-D:', terminal);
}

interface AddAdminKeyOptions extends CommonOptions {
  readonly provider: string;
  readonly name: string;
  readonly keyStdin?: boolean;
  readonly keyEnv?: string;
}

export function adminKeysAdd(adminKeys: Command, cli: CliEnvironment): void {
  subcommand(adminKeys, 'add', "add an admin key and sync the organization's reports")
    .requiredOption('--provider <id>', 'anthropic or openai')
    .requiredOption('--name <name>', 'name shown in lists')
    .option('--key-stdin', 'read the admin key from standard input')
    .option('--key-env <name>', 'read the admin key from this environment variable')
    .action(async (options: AddAdminKeyOptions) => {
      const { provider, name } = options;
      const adminKey = await readAdminKey(options, cli);
      await withContext(cli, options, async ({ client, print }) => {
        const body = { provider, name, adminKey };
        print(await client.call('POST /api/manage/admin-keys', { body }), describeAdminKey);
      });
    });
}

export function adminKeysList(adminKeys: Command, cli: CliEnvironment): void {
  subcommand(adminKeys, 'list', 'list admin keys and the progress of their report sync').action(
    (options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        print(await client.call('GET /api/manage/admin-keys'), renderAdminKeys);
      }),
  );
}

const EMPTY = `No admin keys yet. Add one to see spend outside the gateway:
  tollbook admin-keys add --provider anthropic --name main --key-stdin`;

function renderAdminKeys(keys: readonly AdminKeyShape[], { width }: TextLayout): string {
  if (keys.length === 0) return EMPTY;
  return `${renderAdminKeyTable(keys, width)}
${GATEWAY_NOTE}`;
}

/** The same as `reconcile --coverage` has of these days. */
const GATEWAY_NOTE = 'GATEWAY is the share of spend at list price over the last 30 final days.';

function renderAdminKeyTable(keys: readonly AdminKeyShape[], width: number): string {
  return tableWithNotes(
    ['ID', 'NAME', 'STATE', 'DAYS', 'READ UTC', 'GATEWAY'],
    keys.map(
      ({
        id,
        name,
        provider,
        organization,
        state,
        progress,
        lastSyncAt,
        throughGatewayShare,
        problem,
        sharedWithOtherWorkspaces,
      }) => ({
        cells: [
          id,
          name,
          STATE_WORDS[state],
          `${progress.daysDone}/${progress.daysTotal}`,
          lastSyncAt === null ? '' : formatShortTime(lastSyncAt, 'UTC'),
          shareText(throughGatewayShare),
        ],
        notes: () => [
          provider,
          ...organizationNote(organization, name),
          ...(problem === null ? [] : [problem]),
          ...(sharedWithOtherWorkspaces ? [READ_ELSEWHERE] : []),
        ],
      }),
    ),
    width,
  );
}

/** Names the organization, unless its key has the same name. */
function organizationNote({ id, name }: AdminKeyShape['organization'], keyName: string): string[] {
  const text = name ?? id;
  return text === null || text === keyName ? [] : [text];
}

export function adminKeysSync(adminKeys: Command, cli: CliEnvironment): void {
  subcommand(adminKeys, 'sync', 'sync its reports now')
    .argument('<id>')
    .option('--follow', 'wait until all days are synced')
    .action((id: string, options: CommonOptions & { readonly follow?: boolean }) =>
      withContext(cli, options, async ({ client, print, terminal }) => {
        const answer = await client.call('POST /api/manage/admin-keys/{id}/sync', { params: { id } });
        if (options.follow && answer.started) return print(await followSync(id, client, terminal), describeAdminKey);
        print(answer, ({ started }) =>
          started
            ? 'Sync started. Progress: tollbook admin-keys sync --follow'
            : 'The service is not running. Sync starts with it: tollbook serve',
        );
      }),
    );
}

const FOLLOW_EVERY_MS = 1_000;

/** Shows the progress of a sync until all days are read, or it stops for a problem. Returns the admin key. */
async function followSync(id: string, client: Client, terminal: CommandTerminal): Promise<AdminKeyShape> {
  const progress = progressLine(terminal, countedText('Syncing reports', 'days'));
  let first: number | null = null;
  try {
    for (;;) {
      const key = (await client.call('GET /api/manage/admin-keys')).find((each) => each.id === id);
      if (!key) throw new TollbookError('not_found', `There is no admin key "${id}".`);
      const { daysDone, daysTotal } = key.progress;
      if (daysDone >= daysTotal || key.state === 'paused' || key.problem !== null) return key;
      // Days of earlier runs took no time.
      first ??= daysDone;
      progress.show({ done: daysDone - first, of: daysTotal - first });
      await setTimeout(FOLLOW_EVERY_MS);
    }
  } finally {
    progress.clear();
  }
}

export function adminKeysPause(adminKeys: Command, cli: CliEnvironment): void {
  toggle(adminKeys, cli, 'pause', 'pause its report sync; synced days stay', true);
}

export function adminKeysResume(adminKeys: Command, cli: CliEnvironment): void {
  toggle(adminKeys, cli, 'resume', 'resume its report sync', false);
}

function toggle(adminKeys: Command, cli: CliEnvironment, name: string, description: string, paused: boolean): void {
  subcommand(adminKeys, name, description)
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const request = { params: { id }, body: { paused } };
        print(await client.call('PATCH /api/manage/admin-keys/{id}', request), describeAdminKey);
      }),
    );
}

interface ReplaceAdminKeyOptions extends CommonOptions {
  readonly keyStdin?: boolean;
  readonly keyEnv?: string;
}

export function adminKeysReplace(adminKeys: Command, cli: CliEnvironment): void {
  subcommand(adminKeys, 'replace', 'replace it with another admin key of the same organization')
    .argument('<id>')
    .option('--key-stdin', 'read the admin key from standard input')
    .option('--key-env <name>', 'read the admin key from this environment variable')
    .action(async (id: string, options: ReplaceAdminKeyOptions) => {
      const adminKey = await readAdminKey(options, cli);
      await withContext(cli, options, async ({ client, print }) => {
        const request = { params: { id }, body: { adminKey } };
        print(await client.call('POST /api/manage/admin-keys/{id}/replace', request), describeAdminKey);
      });
    });
}

export function adminKeysRemove(adminKeys: Command, cli: CliEnvironment): void {
  subcommand(adminKeys, 'remove', 'delete an admin key and all data synced with it; use pause to keep the data')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const deleted = await client.call('DELETE /api/manage/admin-keys/{id}', { params: { id } });
        print(deleted, ({ removed }) => `Admin key ${removed} deleted.`);
      }),
    );
}
