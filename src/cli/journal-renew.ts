import type { Command } from 'commander';
import { type CliEnvironment, type CommonOptions, subcommand, withContext } from './cli.ts';

export function journalRenew(journal: Command, cli: CliEnvironment): void {
  subcommand(journal, 'renew', 'give up a lost journal; the next start creates a new one').action(
    (options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        print(await client.call('POST /api/manage/journal/renew', { body: {} }), () => RENEWED);
      }),
  );
}

const RENEWED = [
  'The next start of the service creates a new journal. If it runs, restart it.',
  'Calls that ended shortly before the journal was lost, or were running then,',
  'may be missing from totals and limits. Compare with the provider: tollbook reconcile.',
].join('\n');
