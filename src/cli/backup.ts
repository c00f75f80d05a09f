import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type CliEnvironment, type CommonOptions, subcommand, withContext } from './cli.ts';

export function backup(program: Command, cli: CliEnvironment): void {
  subcommand(program, 'backup <folder>', 'copy the data to a new folder, also while the service runs').action(
    (folder: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        // The service may run in another working folder.
        const written = await client.call('POST /api/manage/backup', { body: { folder: resolve(folder) } });
        print(written, ({ folder: to, files, note }) =>
          [
            `Backup written to ${to}: ${files.join(', ')}.`,
            note ?? 'It contains the master secret: keep it safe.',
          ].join('\n'),
        );
      }),
  );
}
