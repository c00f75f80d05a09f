import type { Command } from 'commander';
import type { CliEnvironment } from './cli.ts';

export function serveCommand(program: Command, cli: CliEnvironment): void {
  program
    .command('serve')
    .description('start the gateway, ledger, API and dashboard')
    .option('--demo', 'start with a sandbox provider and sample data in a temporary folder')
    .action(async (options: { demo?: boolean }) => {
      const { terminal, clock } = cli;
      // Loaded only here, so that the other commands start fast.
      const { serveUntilSignal: serve } = await import('../gateway/serve.ts');
      const config = cli.config();
      // The alerts of invented calls would bury what the demo says.
      const isQuiet = options.demo === true && !terminal.env['SVC_LOG_LEVEL'];
      await serve(isQuiet ? { ...config, logLevel: 'error' } : config, {
        demo: options.demo ?? false,
        clock,
        say: (text) => terminal.out(text),
      });
    });
}
