import { type Command, Option } from 'commander';
import type { ForgottenNode, NodeList } from '../contract/installation.ts';
import { TollbookError } from '../domain/errors.ts';
import { callsText } from '../domain/text/counts.ts';
import { describeGrants } from '../domain/text/limits.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { table } from './table.ts';

export function nodesList(nodes: Command, cli: CliEnvironment): void {
  subcommand(nodes, 'list', 'list the nodes on this database').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.call('GET /api/manage/nodes'), renderNodes);
    }),
  );
}

interface ForgetOptions extends CommonOptions {
  readonly uncertain: 'count' | 'free';
}

export function nodesForget(nodes: Command, cli: CliEnvironment): void {
  subcommand(nodes, 'forget <node>', 'forget a node that never comes back, by id or name')
    .addOption(
      new Option('--uncertain <how>', 'amounts of limits that it may have used')
        .choices(['count', 'free'])
        .default('count'),
    )
    .action((named: string, options: ForgetOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { nodes: known } = await client.call('GET /api/manage/nodes');
        const { uncertain } = options;
        const params = { id: findNode(known, named) };
        const forgotten = await client.call('POST /api/manage/nodes/{id}/forget', { params, body: { uncertain } });
        print(forgotten, () => renderForgotten(forgotten, uncertain));
      }),
    );
}

function findNode(nodes: NodeList['nodes'], named: string): string {
  const found = nodes.filter(({ id, name }) => id === named || name === named);
  if (found.length > 1)
    throw new TollbookError('conflict', `Several nodes are named "${named}": ${found.map(({ id }) => id).join(', ')}.`);
  return found[0]?.id ?? named;
}

function renderForgotten({ name, unshippedCalls }: ForgottenNode, uncertain: ForgetOptions['uncertain']): string {
  const amounts = uncertain === 'count' ? 'stay counted' : 'are free again';
  const lines = [`Node ${name} forgotten. Amounts of limits that it may have used ${amounts}.`];
  if (unshippedCalls > 0)
    lines.push(
      `At least ${callsText(unshippedCalls)} of it ${unshippedCalls === 1 ? 'is' : 'are'} missing in the ledger.`,
    );
  return lines.join('\n');
}

function renderNodes({ nodes }: NodeList, { width }: TextLayout): string {
  if (nodes.length === 0) return 'No node has started yet. To start one: tollbook serve';
  return table(
    ['NAME', 'STATE', 'VERSION', 'LAST SEEN', 'UNSHIPPED', 'LAG', 'GRANTED'],
    nodes.map(({ name, state, version, seenAt, unshippedCalls, lagSeconds, grants }) => [
      name,
      state,
      version,
      seenAt.slice(0, 19),
      String(unshippedCalls),
      `${Math.round(lagSeconds)} s`,
      describeGrants(grants),
    ]),
    width,
  );
}
