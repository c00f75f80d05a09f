import type { Command } from 'commander';
import { readToolSettings } from '../config.ts';
import type { Cli } from './cli.ts';

export function toolsCommand(program: Command, { terminal }: Cli): void {
  program
    .command('tools')
    .description('serve the tools to an assistant, over standard input and output')
    .action(async () => {
      const settings = readToolSettings(terminal.env);
      const { serveTools } = await import('../tools/stdio.ts');
      const { input, output } = terminal.streams;
      await serveTools({ settings, env: terminal.env, input, output, tell: (text) => terminal.err(text) });
    });
}
