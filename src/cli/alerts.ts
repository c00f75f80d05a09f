import type { Command } from 'commander';
import type { AlertShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { tableWithNotes } from './table.ts';
import { textLines } from './text-lines.ts';

interface ListAlertOptions extends CommonOptions {
  readonly limit?: string;
  readonly unread?: boolean;
}

export function alertsList(alerts: Command, cli: CommandLine): void {
  subcommand(alerts, 'list', 'list alerts, newest first')
    .option('--limit <number>', 'at most 100 (default: 20)')
    .option('--unread', 'only those that nobody has marked as read')
    .action((options: ListAlertOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { limit, unread } = options;
        const unreadOnly = unread ? 'true' : undefined;
        print(await client.get<AlertShape[]>('/api/mcp/alerts', { limit, unreadOnly }), (found, paper) =>
          found.length === 0 && unread ? 'There is no unread alert.' : renderAlerts(found, paper),
        );
      }),
    );
}

function renderAlerts(alerts: readonly AlertShape[], { width }: TextLayout): string {
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
