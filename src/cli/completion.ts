import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

const COMPLETION = 'completion';

/**
 * Adds `completion`, which prints a script for a shell, and the hidden command `complete`, which that script asks. Every
 * command must be there already.
 */
export function addCompletion(program: Command): void {
  tab(program, { completionCommandName: COMPLETION });
  const command = program.commands.find((one) => one.name() === COMPLETION);
  command?.description('print a script that completes commands in bash, zsh, fish or PowerShell');
}
