import type { Command } from 'commander';
import type { AlertShape } from '../contract/usage.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli, Paper } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { tableWithNotes } from './table.ts';
import { textLines } from './text-lines.ts';

interface Options extends CommonOptions {
  readonly limit?: string;
  readonly unread?: boolean;
}

export function alertsList(alerts: Command, cli: Cli): void {
  subcommand(alerts, 'list', 'list alerts, newest first')
    .option('--limit <number>', 'at most 100 (default: 20)')
    .option('--unread', 'only those that nobody has marked as read')
    .action((options: Options) =>
      withSession(cli, options, async ({ client, print }) => {
        const { limit, unread } = options;
        const unreadOnly = unread ? 'true' : undefined;
        print(await client.get<AlertShape[]>('/api/mcp/alerts', { limit, unreadOnly }), (found, paper) =>
          found.length === 0 && unread ? 'There is no unread alert.' : render(found, paper),
        );
      }),
    );
}

function render(alerts: readonly AlertShape[], { width }: Paper): string {
  if (alerts.length === 0) return 'There is no alert.';
  return tableWithNotes(
    ['ID', 'AT UTC', 'TYPE', 'SEVERITY', 'STATE', 'READ'],
    alerts.map(({ id, createdAt, type, severity, title, read, resolvedAt }) => ({
      cells: [
        id,
        createdAt.slice(5, 16).replace('T', ' '),
        type,
        severity,
        resolvedAt ? 'over' : 'open',
        read ? 'yes' : 'no',
      ],
      notes: () => textLines(title),
    })),
    width,
  );
}
