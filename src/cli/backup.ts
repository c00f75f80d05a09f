import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { countedText, progressLine } from './progress-line.ts';
import type { CommandTerminal } from './terminal.ts';
import { type CliEnvironment, type CommonOptions, subcommand, withContext } from './cli.ts';

export function backup(program: Command, cli: CliEnvironment): void {
  subcommand(program, 'backup <folder>', 'copy the data to a new folder, also while the service runs').action(
    (folder: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print, terminal }) => {
        // The service may run in another working folder.
        const to = resolve(folder);
        const stopWatching = watchSize(to, terminal);
        const written = await client.call('POST /api/manage/backup', { body: { folder: to } }).finally(stopWatching);
        print(written, ({ folder: made, files, note }) =>
          [
            `Backup written to ${made}: ${files.join(', ')}.`,
            note ?? 'It contains the master secret: keep it safe.',
          ].join('\n'),
        );
      }),
  );
}

const WATCH_EVERY_MS = 250;
const MEGABYTE = 1_000_000;

/** Shows how much was written. Returns a function that ends it. */
function watchSize(folder: string, terminal: CommandTerminal): () => void {
  if (!terminal.errIsTerminal) return () => undefined;
  const progress = progressLine(terminal, countedText('Writing', 'MB'));
  const show = (): void => progress.show({ done: Math.round(folderBytes(folder) / MEGABYTE), of: null });
  const timer = setInterval(show, WATCH_EVERY_MS);
  return () => {
    clearInterval(timer);
    progress.clear();
  };
}

function folderBytes(folder: string): number {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return entries.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  } catch {
    // The folder does not exist yet, or a temporary file was just removed.
    return 0;
  }
}
