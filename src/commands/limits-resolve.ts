import type { Command } from 'commander';
import type { EntryShape } from '../api/contract.ts';
import { formatAmount } from '../core/limit-fields.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';

interface Options extends CommonOptions {
  readonly cost: string;
  readonly inputTokens?: string;
  readonly outputTokens?: string;
}

export function limitsResolve(limits: Command, cli: Cli): void {
  subcommand(limits, 'resolve <call>', 'say what a call of uncertain cost has cost; limits then count that')
    .requiredOption('--cost <usd>', 'dollars; 0 if the provider did not charge for it')
    .option('--input-tokens <number>', 'if limits count tokens (default: what is known)')
    .option('--output-tokens <number>', 'the same of the output')
    .action((call: string, options: Options) =>
      withSession(cli, options, async ({ client, print }) => {
        const path = `/api/manage/entries/${encodeURIComponent(call)}/resolve`;
        const resolved = await client.send<EntryShape>('POST', path, {
          costUsd: options.cost,
          inputTokens: options.inputTokens && Number(options.inputTokens),
          outputTokens: options.outputTokens && Number(options.outputTokens),
        });
        print(
          resolved,
          ({ id, cost }) => `Call ${id} has cost ${formatAmount('usd', cost ?? 0)}; reports and limits count that now.`,
        );
      }),
    );
}
