import type { Command } from 'commander';
import type { LimitShape } from '../contract/limits.ts';
import { TollbookError } from '../domain/errors.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { limitSentence } from './limit-sentence.ts';

interface RaiseLimitOptions extends CommonOptions {
  readonly amount?: string;
  readonly for?: string;
  readonly until?: string;
  readonly end?: boolean;
}

export function limitsRaise(limits: Command, cli: CommandLine): void {
  subcommand(limits, 'raise <id>', 'raise a limit for a while')
    .option('--amount <number>', 'in the unit of the limit')
    .option('--for <duration>', 'for instance 90s, 15m, 2h, 7d')
    .option('--until <time>', 'for instance 2027-01-31T18:00:00Z; a bare date includes that UTC day')
    .option('--end', 'end a raise early')
    .action((id: string, options: RaiseLimitOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const path = `/api/manage/limits/${encodeURIComponent(id)}`;
        if (options.end) return print(await client.send<LimitShape>('DELETE', `${path}/raise`), limitSentence);
        if (options.amount === undefined)
          throw new TollbookError(
            'invalid',
            `Give --amount with --for or --until, or --end; for instance: tollbook limits raise ${id} --amount 20 --for 2h`,
          );
        const raised = await client.send<LimitShape>('POST', `${path}/raise`, {
          amount: options.amount,
          for: options.for,
          until: options.until,
        });
        print(raised, limitSentence);
      }),
    );
}
