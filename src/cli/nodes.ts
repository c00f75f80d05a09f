import type { Command } from 'commander';
import type { NodeList } from '../contract/installation.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { table } from './table.ts';

export function nodesList(nodes: Command, cli: CliEnvironment): void {
  subcommand(nodes, 'list', 'list the nodes on this database').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.call('GET /api/manage/nodes'), renderNodes);
    }),
  );
}

function renderNodes({ nodes }: NodeList, { width }: TextLayout): string {
  if (nodes.length === 0) return 'No node has started yet. To start one: tollbook serve';
  return table(
    ['NAME', 'STATE', 'VERSION', 'LAST SEEN', 'UNSHIPPED', 'LAG'],
    nodes.map(({ name, state, version, seenAt, unshippedCalls, lagSeconds }) => [
      name,
      state,
      version,
      seenAt.slice(0, 19),
      String(unshippedCalls),
      `${Math.round(lagSeconds)} s`,
    ]),
    width,
  );
}
