import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import { TollbookError } from '../domain/errors.ts';
import { type CliEnvironment, type CommonOptions, subcommand, withContext } from './cli.ts';
import type { CommandTerminal } from './terminal.ts';

/** Programs of the platforms that open a web address in the default browser. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

export function openCommand(program: Command, cli: CliEnvironment): void {
  subcommand(program, 'open', 'open the dashboard in the browser').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, config, print, terminal }) => {
      if (!client.isService) throw new TollbookError('unavailable', 'No service runs. Start it: npx tollbook serve');
      const url = config.baseUrl;
      const isOpened = !options.json && (await openInBrowser(url, terminal.env));
      print({ url }, () => (isOpened ? `Opened ${url}` : `Open this address in a browser:\n\n  ${url}`));
    }),
  );
}

/** Returns false where no browser can be opened, for instance without a screen. */
async function openInBrowser(url: string, env: CommandTerminal['env']): Promise<boolean> {
  const opener = OPENERS[process.platform];
  const hasScreen = process.platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY']);
  if (!opener || !hasScreen) return false;
  const [command, ...args] = opener;
  const child = spawn(command, [...args, url], { env: { ...env }, stdio: 'ignore', detached: true });
  try {
    await once(child, 'spawn');
  } catch {
    return false;
  }
  child.unref();
  return true;
}
