import { type Command, Option } from 'commander';
import { readToolSettings } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import type { CliEnvironment } from './cli.ts';
import { confirm } from './confirm.ts';
import type { CommandTerminal } from './terminal.ts';

interface ToolsOptions {
  readonly setup?: boolean;
  readonly withKey?: boolean;
  readonly autoSync?: boolean;
  readonly yes?: boolean;
  readonly selfTest?: boolean;
  readonly whatWeRead?: boolean;
  readonly syncNow?: boolean;
  readonly telemetry?: boolean;
}

const NEEDS_KEY = '--with-key uses the access token in SVC_API_KEY: set it first.';
const MODES = ['setup', 'selfTest', 'whatWeRead', 'syncNow'];
const WAITING =
  'Waiting for an assistant on standard input. To set one up: tollbook tools --setup. Press Ctrl-C to quit.\n';

export function toolsCommand(program: Command, { terminal, clock }: CliEnvironment): void {
  program
    .command('tools')
    .description('serve tools to an assistant over standard input and output (MCP)')
    .argument(
      '[host...]',
      'with --setup: claude-code, codex, claude-desktop, cursor, vscode (default: all that are installed)',
    )
    .addOption(mode('--setup', 'add the tool server to the configuration of hosts, after showing the change'))
    .option('--with-key', 'with --setup: also write the access token of SVC_API_KEY')
    .option('--auto-sync', 'with --setup: upload local sessions when tools are called')
    .option('--telemetry', 'with --setup: print the lines with which assistants send telemetry; changes nothing')
    .option('--yes', 'with --setup: do not ask for confirmation')
    .addOption(mode('--self-test', 'print as JSON what the tool server finds on this machine'))
    .addOption(mode('--what-we-read', 'print which local files are read, and what is uploaded'))
    .addOption(mode('--sync-now', 'upload local sessions silently, as SVC_AUTO_SYNC=true does when a tool is called'))
    .action(async (hosts: string[], options: ToolsOptions) => {
      if (options.setup && options.telemetry) return printTelemetrySetup(hosts, options, terminal);
      if (options.setup) return setUpHosts(hosts, options, { terminal, clock });
      if (hosts.length > 0)
        throw new TollbookError('invalid', `Did you mean "tollbook tools --setup ${hosts.join(' ')}"?`);
      if (options.withKey || options.autoSync || options.yes || options.telemetry)
        throw new TollbookError('invalid', '--with-key, --auto-sync, --telemetry and --yes need --setup.');
      if (options.selfTest) return printSelfTest(terminal);
      if (options.whatWeRead) return printWhatWeRead(terminal);
      // The library of the protocol is loaded only where it is spoken.
      const { serveTools, syncFromHere } = await import('../mcp/stdio.ts');
      const { input, output } = terminal.streams;
      const settings = readToolSettings(terminal.env);
      if (options.syncNow) return syncFromHere({ settings, env: terminal.env, clock });
      if (terminal.inIsTerminal) terminal.err(WAITING);
      const writeError = (text: string): void => terminal.err(text);
      await serveTools({ settings, env: terminal.env, clock, input, output, writeError });
    });
}

/** One of the things that are done instead of serving. */
function mode(flags: string, text: string): Option {
  const option = new Option(flags, text);
  return option.conflicts(MODES.filter((name) => name !== option.attributeName()));
}

async function printSelfTest({ env, out }: CommandTerminal): Promise<void> {
  const [{ selfTest }, { thisMachine }] = await Promise.all([
    import('../mcp/self-test.ts'),
    import('../mcp/this-machine.ts'),
  ]);
  const settings = readToolSettings(env);
  out(`${JSON.stringify(await selfTest(settings, thisMachine(env, settings)), null, 2)}\n`);
}

async function printWhatWeRead({ env, out }: CommandTerminal): Promise<void> {
  const [{ whatWeRead }, { thisMachine }] = await Promise.all([
    import('../mcp/what-we-read.ts'),
    import('../mcp/this-machine.ts'),
  ]);
  out(await whatWeRead(thisMachine(env, readToolSettings(env))));
}

async function printTelemetrySetup(
  names: readonly string[],
  { withKey }: ToolsOptions,
  { env, out }: CommandTerminal,
): Promise<void> {
  const { telemetrySetup } = await import('../mcp/setup/telemetry-lines.ts');
  const { apiUrl, apiKey } = readToolSettings(env);
  if (withKey && apiKey === null) throw new TollbookError('invalid', NEEDS_KEY);
  out(`${telemetrySetup(names, { baseUrl: apiUrl, token: withKey && apiKey !== null ? apiKey : '<token>' })}\n`);
}

async function setUpHosts(
  names: readonly string[],
  options: ToolsOptions,
  { terminal, clock }: Pick<CliEnvironment, 'terminal' | 'clock'>,
): Promise<void> {
  const [{ setUp }, { findLaunchCommand: launchOf }, { hostEnvironment: placesOf }] = await Promise.all([
    import('../mcp/setup/setup.ts'),
    import('../mcp/setup/launch.ts'),
    import('../sessions/reports/local-usage.ts'),
  ]);
  const { env } = terminal;
  const settings = readToolSettings(env);
  if (options.withKey && settings.apiKey === null) throw new TollbookError('invalid', NEEDS_KEY);
  await setUp({
    names,
    launch: launchOf(env, { key: options.withKey ? settings.apiKey : null, autoSync: options.autoSync ?? false }),
    surroundings: placesOf(env),
    clock,
    print: (text) => terminal.out(text),
    agree: (question) => (options.yes ? Promise.resolve(true) : confirm(terminal, question)),
  });
}
