import { Option } from 'commander';
import type { Command } from 'commander';
import type { FORMATS } from '../contract/routes/usage.ts';
import { type CliEnvironment, type CommonOptions, withContext } from './cli.ts';
import { countedText, progressLine } from './progress-line.ts';
import { readPeriodEnd, readPeriodStart } from './time-options.ts';

interface ExportOptions extends CommonOptions {
  readonly format: (typeof FORMATS)[number];
  readonly from?: string;
  readonly to?: string;
}

export function exportCommand(program: Command, cli: CliEnvironment): void {
  program
    .command('export')
    .description('export calls to standard output')
    .addOption(new Option('--format <format>', 'output format').choices(['csv', 'jsonl', 'focus']).default('csv'))
    .option('--from <time>', 'for example 7d, yesterday, 2026-01-31 (default: 30 days ago)')
    .option('--to <time>', 'default: now')
    .option('--workspace <id>', 'workspace to work in (default: ws_default)')
    .action((options: ExportOptions) =>
      withContext(cli, options, async (context) => {
        const { client, terminal } = context;
        const query = {
          format: options.format,
          startDate: readPeriodStart(options.from, '--from', context),
          endDate: readPeriodEnd(options.to, '--to', context),
        };
        const progress = progressLine(terminal, countedText('Exporting', 'calls'));
        let done = 0;
        try {
          for await (const piece of await client.stream('GET /api/manage/export', { query })) {
            await terminal.outBytes(piece);
            done += countLines(piece);
            progress.show({ done, of: null });
          }
        } finally {
          progress.clear();
        }
      }),
    );
}

const LINE_END = 10;

function countLines(piece: Uint8Array): number {
  let lines = 0;
  for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, at + 1)) lines += 1;
  return lines;
}
