import type { Command } from 'commander';
import type { WrappedKeyShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describeState } from './secret-state.ts';
import { tableWithNotes } from './table.ts';

export function keysList(keys: Command, cli: CommandLine): void {
  subcommand(keys, 'list', 'list wrapped keys, newest first')
    .option('--all', 'revoked ones too')
    .action((options: CommonOptions & { all?: boolean }) =>
      withContext(cli, options, async ({ client, print }) => {
        const all = await client.get<WrappedKeyShape[]>('/api/manage/keys');
        print(
          all.filter(({ revokedAt }) => options.all || revokedAt === null),
          renderKeys,
        );
      }),
    );
}

function renderKeys(keys: readonly WrappedKeyShape[], { width }: TextLayout): string {
  if (keys.length === 0)
    return `There is no wrapped key yet. Make one:

  npx tollbook keys create --provider anthropic --name first \\
  --provider-key-env ANTHROPIC_API_KEY`;
  return tableWithNotes(
    ['ID', 'NAME', 'PROVIDER', 'STATE', 'PROVIDER KEY'],
    keys.map((key) => ({
      cells: [key.id, key.name, key.provider, describeState(key), describeProviderKey(key)],
      notes: (line) => keyNotes(key, line),
    })),
    width,
  );
}

/** Its tags, and until when it works where that did not fit into its row. */
function keyNotes(key: WrappedKeyShape, line: string): string[] {
  const state = describeState(key);
  const tags = Object.entries(key.tags).map(([name, value]) => `${name}=${value}`);
  return line.includes(state) ? tags : [state, ...tags];
}

function describeProviderKey({ providerKey: { lastFour, usedBy } }: WrappedKeyShape): string {
  const end = lastFour === null ? 'not shown' : `…${lastFour}`;
  return usedBy > 1 ? `${end}, shared by ${usedBy}` : end;
}
