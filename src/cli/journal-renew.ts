import type { Command } from 'commander';
import type { RenewedJournal } from '../contract/usage.ts';
import { type CommandLine, type CommonOptions, subcommand, withContext } from './cli.ts';

export function journalRenew(journal: Command, cli: CommandLine): void {
  subcommand(journal, 'renew', 'give up a journal that is lost; the next start begins another').action(
    (options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        print(await client.send<RenewedJournal>('POST', '/api/manage/journal/renew', {}), () => RENEWED);
      }),
  );
}

const RENEWED = [
  'The next start of the service begins a new journal. If it runs, restart it.',
  'Calls that had ended shortly before the journal was lost, or were under way then,',
  'may be in no total and under no limit. Compare with the provider: tollbook reconcile.',
].join('\n');
