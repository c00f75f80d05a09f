import type { Command } from 'commander';
import type { CommandLine } from './cli.ts';

export function serveCommand(program: Command, cli: CommandLine): void {
  program
    .command('serve')
    .description('open the gate: proxy, API and book')
    .option('--demo', 'with a sandbox provider and invented traffic, in a temporary data folder')
    .action(async (options: { demo?: boolean }) => {
      // Loaded only here, so that the other commands start fast.
      const { serveUntilSignal: serve } = await import('../gateway/serve.ts');
      const { terminal, clock } = cli;
      await serve(cli.config(), { demo: options.demo ?? false, clock, say: (text) => terminal.out(text) });
    });
}
