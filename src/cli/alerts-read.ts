import type { Command } from 'commander';
import type { AlertShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { plainText } from './table.ts';

export function alertsRead(alerts: Command, cli: CommandLine): void {
  subcommand(alerts, 'read <id>', 'show an alert and mark it as read').action((id: string, options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const path = `/api/mcp/alerts/${encodeURIComponent(id)}/read`;
      print(await client.send<AlertShape>('POST', path), renderReadAlert);
    }),
  );
}

function renderReadAlert({ type, severity, createdAt, resolvedAt, title, message }: AlertShape): string {
  const state = resolvedAt === null ? 'open' : `over since ${minute(resolvedAt)}`;
  return `${type}  ${severity}  ${minute(createdAt)}  ${state}\n${plainText(title)}\n\n${plainText(message)}`;
}

function minute(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
