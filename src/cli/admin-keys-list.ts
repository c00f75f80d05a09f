import type { Command } from 'commander';
import type { AdminKeyShape } from '../contract/admin-keys.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { shareText } from './coverage-text.ts';
import { READ_ELSEWHERE, STATE_WORDS } from './describe-admin-key.ts';
import { tableWithNotes } from './table.ts';

export function adminKeysList(adminKeys: Command, cli: CommandLine): void {
  subcommand(adminKeys, 'list', 'list admin keys, and how far their reports were read').action(
    (options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        print(await client.get<AdminKeyShape[]>('/api/manage/admin-keys'), renderAdminKeys);
      }),
  );
}

const EMPTY = `There is no admin key yet. With one, spend beside the gate is seen too:
  tollbook admin-keys add --provider anthropic --name main --key-stdin`;

function renderAdminKeys(keys: readonly AdminKeyShape[], { width }: TextLayout): string {
  if (keys.length === 0) return EMPTY;
  return `${renderAdminKeyTable(keys, width)}
${PASSED}`;
}

/** The same as `reconcile --coverage` has of these days. */
const PASSED = 'PASSED is at list price, of the last 30 days that change no more.';

function renderAdminKeyTable(keys: readonly AdminKeyShape[], width: number): string {
  return tableWithNotes(
    ['ID', 'NAME', 'ORGANIZATION', 'STATE', 'DAYS', 'READ', 'PASSED'],
    keys.map(
      ({
        id,
        name,
        provider,
        organization,
        state,
        backfill,
        readAt,
        throughGatewayShare,
        problem,
        sharedWithOtherWorkspaces,
      }) => ({
        cells: [
          id,
          name,
          organization.name ?? organization.id ?? provider,
          STATE_WORDS[state],
          `${backfill.days}/${backfill.of}`,
          readAt === null ? '' : `${readAt.slice(0, 16)}Z`,
          shareText(throughGatewayShare),
        ],
        notes: () => [...(problem === null ? [] : [problem]), ...(sharedWithOtherWorkspaces ? [READ_ELSEWHERE] : [])],
      }),
    ),
    width,
  );
}
