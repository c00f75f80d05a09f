import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Command } from 'commander';
import { TollbookError } from '../domain/errors.ts';
import { makeFolder } from '../lib/fs/files.ts';
import { type CliEnvironment, type CommonOptions, subcommand, withContext } from './cli.ts';
import { renderReport } from './doctor.ts';

const BOOK = 'ledger.db';
/** Everything a backup may hold; what else is there is left where it is. */
const NAMES = [BOOK, 'journal', 'workers', 'providers.json', 'prices.json', 'price-update.json', 'secret'];

const RESTORE_ADVICE =
  'The ledger is in PostgreSQL. Stop the service, create a database as for a new ledger, and fill it with: ' +
  'pg_restore --no-owner --dbname="$SVC_DATABASE_URL" tollbook.dump';

export function restore(program: Command, cli: CliEnvironment): void {
  subcommand(program, 'restore <folder>', 'restore a backup into an empty data folder').action(
    async (folder: string, options: CommonOptions) => {
      const { dataDir, databaseUrl } = cli.config();
      if (databaseUrl !== null) throw new TollbookError('unprocessable', RESTORE_ADVICE);
      copyBackup(resolve(folder), dataDir);
      await withContext(cli, options, async ({ client, print }) => {
        print(await client.call('GET /api/manage/doctor'), renderReport);
      });
    },
  );
}

function copyBackup(from: string, dataDir: string): void {
  if (!existsSync(join(from, BOOK))) throw new TollbookError('invalid', `No backup in ${from}: missing ${BOOK}.`);
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0)
    throw new TollbookError(
      'conflict',
      `The data folder ${dataDir} is not empty. Stop the service, move the folder away, and restore again.`,
    );
  checkDatabase(join(from, BOOK));
  makeFolder(dataDir, 0o700);
  for (const name of NAMES.filter((known) => existsSync(join(from, known))))
    copyPrivately(join(from, name), join(dataDir, name));
}

function copyPrivately(from: string, to: string): void {
  if (statSync(from).isDirectory()) {
    mkdirSync(to, { mode: 0o700 });
    for (const name of readdirSync(from)) copyPrivately(join(from, name), join(to, name));
    return;
  }
  copyFileSync(from, to);
  chmodSync(to, 0o600);
}

function checkDatabase(file: string): void {
  let found: unknown;
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    database.close();
  } catch (error) {
    found = error instanceof Error ? error.message : error;
  }
  if (found !== 'ok') throw new TollbookError('invalid', `${file} is damaged (${String(found)}). Use another backup.`);
}
