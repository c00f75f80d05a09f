import { userTimeZone } from './terminal.ts';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { type Client, connect } from './client.ts';
import { createPaint, hasColors, type PaintText } from './colors.ts';
import type { CommandTerminal } from './terminal.ts';

/** Width and kind of the terminal or pipe that a text is printed to. */
export interface TextLayout {
  /** Characters in a line at most. */
  readonly width: number;
  /** The output is a pipe or a file, so nothing is shortened. */
  readonly isPiped: boolean;
  readonly paint: PaintText;
  /** Zone of the person at the terminal. */
  readonly timeZone: string;
}

/** Client, terminal and settings of a running command. */
export interface CommandContext {
  readonly client: Client;
  readonly terminal: CommandTerminal;
  readonly config: Config;
  readonly clock: Clock;
  readonly layout: TextLayout;
  /** Prints the value as JSON with --json, else what it looks like for people. */
  print<Value>(value: Value, forPeople: (value: Value, paper: TextLayout) => string): void;
}

/** Settings, terminal and clock for the definition of commands. */
export interface CliEnvironment {
  readonly config: () => Config;
  readonly terminal: CommandTerminal;
  readonly clock: Clock;
  /** --no-color was given. */
  readonly noColor: boolean;
}

/** A command under `parent` with the common options. */
export function subcommand(parent: Command, nameAndArguments: string, description: string): Command {
  return parent
    .command(nameAndArguments)
    .description(description)
    .option('--json', 'print JSON')
    .option('--workspace <id>', 'workspace to work in (default: ws_default)');
}

export function terminalLayout({ terminal, noColor }: Pick<CliEnvironment, 'terminal' | 'noColor'>): TextLayout {
  const { columns, env } = terminal;
  return {
    width: Number(env['COLUMNS']) || columns || Infinity,
    isPiped: columns === undefined,
    paint: createPaint(!noColor && hasColors(terminal)),
    get timeZone() {
      return userTimeZone(terminal);
    },
  };
}

/** Runs a command with an open client and always closes the client. */
export async function withContext(
  cli: CliEnvironment,
  options: CommonOptions,
  work: (context: CommandContext) => Promise<void>,
): Promise<void> {
  const { terminal, clock } = cli;
  const config = cli.config();
  const layout = terminalLayout(cli);
  const client = await connect({ config, workspace: options.workspace, clock });
  try {
    await work({
      client,
      terminal,
      config,
      clock,
      layout,
      print: (value, forPeople) => terminal.out(`${options.json ? JSON.stringify(value) : forPeople(value, layout)}\n`),
    });
  } finally {
    await client.close();
  }
}

/** Collects an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** Options that `subcommand` adds to every command. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly workspace?: string;
}
