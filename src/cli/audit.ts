import type { Command } from 'commander';
import type { AuditPage } from '../contract/audit.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { table } from './table.ts';

interface AuditOptions extends CommonOptions {
  readonly limit?: string;
  readonly before?: string;
}

export function audit(program: Command, cli: CliEnvironment): void {
  subcommand(program, 'audit', 'show the audit log, newest first')
    .option('--limit <rows>', 'at most 500 (default: 50)')
    .option('--before <seq>', 'older than this row')
    .action((options: AuditOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { limit, before } = options;
        print(await client.call('GET /api/manage/audit', { query: { limit, cursor: before } }), renderAudit);
      }),
    );
}

function renderAudit({ rows, nextCursor }: AuditPage, { width }: TextLayout): string {
  if (rows.length === 0) return 'No changes yet.';
  const shown = table(
    ['SEQ', 'AT', 'ACTOR', 'ACTION', 'SUBJECT'],
    rows.map(({ seq, at, actor, actorName, action, subject }) => [
      String(seq),
      at.slice(0, 19),
      actorName ?? actor,
      action,
      subject,
    ]),
    width,
  );
  return nextCursor === null ? shown : `${shown}\n\nOlder rows: tollbook audit --before ${nextCursor}`;
}
