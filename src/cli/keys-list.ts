import type { Command } from 'commander';
import type { WrappedKeyShape } from '../contract/usage.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli, Paper } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { stateOf } from './secret-state.ts';
import { tableWithNotes } from './table.ts';

export function keysList(keys: Command, cli: Cli): void {
  subcommand(keys, 'list', 'list wrapped keys, newest first')
    .option('--all', 'revoked ones too')
    .action((options: CommonOptions & { all?: boolean }) =>
      withSession(cli, options, async ({ client, print }) => {
        const all = await client.get<WrappedKeyShape[]>('/api/manage/keys');
        print(
          all.filter(({ revokedAt }) => options.all || revokedAt === null),
          render,
        );
      }),
    );
}

function render(keys: readonly WrappedKeyShape[], { width }: Paper): string {
  if (keys.length === 0)
    return `There is no wrapped key yet. Make one:

  npx tollbook keys create --provider anthropic --name first \\
  --provider-key-env ANTHROPIC_API_KEY`;
  return tableWithNotes(
    ['ID', 'NAME', 'PROVIDER', 'STATE', 'PROVIDER KEY'],
    keys.map((key) => ({
      cells: [key.id, key.name, key.provider, stateOf(key), providerKeyOf(key)],
      notes: (line) => notesOf(key, line),
    })),
    width,
  );
}

/** Its tags, and until when it works where that did not fit into its row. */
function notesOf(key: WrappedKeyShape, line: string): string[] {
  const state = stateOf(key);
  const tags = Object.entries(key.tags).map(([name, value]) => `${name}=${value}`);
  return line.includes(state) ? tags : [state, ...tags];
}

function providerKeyOf({ providerKey: { lastFour, usedBy } }: WrappedKeyShape): string {
  const end = lastFour === null ? 'not shown' : `…${lastFour}`;
  return usedBy > 1 ? `${end}, shared by ${usedBy}` : end;
}
