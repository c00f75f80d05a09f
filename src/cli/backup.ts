import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { BackupShape } from '../contract/usage.ts';
import { type CommandLine, type CommonOptions, subcommand, withContext } from './cli.ts';

export function backup(program: Command, cli: CommandLine): void {
  subcommand(
    program,
    'backup <folder>',
    'write a consistent copy into a new folder, also while the service runs',
  ).action((folder: string, options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      // The service may run in another working folder.
      const written = await client.send<BackupShape>('POST', '/api/manage/backup', { folder: resolve(folder) });
      print(written, ({ folder: to, files, note }) =>
        [
          `The copy is in ${to}: ${files.join(', ')}.`,
          note ?? 'It holds the master secret: keep it as safe as that.',
        ].join('\n'),
      );
    }),
  );
}
