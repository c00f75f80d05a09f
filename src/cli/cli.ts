import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { connect } from './client.ts';
import type { Client } from './client.ts';
import type { CommonOptions } from './common-options.ts';
import type { Terminal } from './terminal.ts';

/** What a text is written on. */
export interface Paper {
  /** Characters in a line at most. */
  readonly width: number;
  /** Nobody looks at it as it comes: nothing is left out for the sake of room. */
  readonly isPiped: boolean;
}

/** What a command's action works with. */
export interface Session {
  readonly client: Client;
  readonly terminal: Terminal;
  readonly config: Config;
  readonly clock: Clock;
  /** Prints the value as JSON with --json, else what it looks like for people. */
  print<Value>(value: Value, forPeople: (value: Value, paper: Paper) => string): void;
}

/** What commands are made with. */
export interface Cli {
  readonly config: () => Config;
  readonly terminal: Terminal;
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

export function paperOf({ columns, env }: Terminal): Paper {
  return { width: Number(env['COLUMNS']) || columns || Infinity, isPiped: columns === undefined };
}

/** Runs a command's work with an open client, and closes it whatever happens. */
export async function withSession(
  cli: Cli,
  options: CommonOptions,
  work: (session: Session) => Promise<void>,
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
        terminal.out(`${options.json ? JSON.stringify(value) : forPeople(value, paperOf(terminal))}\n`),
    });
  } finally {
    await client.close();
  }
}

/** Collects an option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
