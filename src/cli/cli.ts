import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { type Client, connect } from './client.ts';
import type { CommandTerminal } from './terminal.ts';

/** What a text is written on. */
export interface TextLayout {
  /** Characters in a line at most. */
  readonly width: number;
  /** Nobody looks at it as it comes: nothing is left out for the sake of room. */
  readonly isPiped: boolean;
}

/** What a command's action works with. */
export interface CommandContext {
  readonly client: Client;
  readonly terminal: CommandTerminal;
  readonly config: Config;
  readonly clock: Clock;
  /** Prints the value as JSON with --json, else what it looks like for people. */
  print<Value>(value: Value, forPeople: (value: Value, paper: TextLayout) => string): void;
}

/** What commands are made with. */
export interface CommandLine {
  readonly config: () => Config;
  readonly terminal: CommandTerminal;
  readonly clock: Clock;
}

/** A command under `parent` with the common options. */
export function subcommand(parent: Command, nameAndArguments: string, description: string): Command {
  return parent
    .command(nameAndArguments)
    .description(description)
    .option('--json', 'print JSON')
    .option('--workspace <id>', 'workspace to work in (default: ws_default)');
}

export function terminalLayout({ columns, env }: CommandTerminal): TextLayout {
  return { width: Number(env['COLUMNS']) || columns || Infinity, isPiped: columns === undefined };
}

/** Runs a command's work with an open client, and closes it whatever happens. */
export async function withContext(
  cli: CommandLine,
  options: CommonOptions,
  work: (session: CommandContext) => Promise<void>,
): Promise<void> {
  const { terminal, clock } = cli;
  const config = cli.config();
  const client = await connect({ config, workspace: options.workspace, clock });
  try {
    await work({
      client,
      terminal,
      config,
      clock,
      print: (value, forPeople) =>
        terminal.out(`${options.json ? JSON.stringify(value) : forPeople(value, terminalLayout(terminal))}\n`),
    });
  } finally {
    await client.close();
  }
}

/** Collects an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** What `subcommand` gives every command. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly workspace?: string;
}
