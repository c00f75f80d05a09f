import type { Command } from 'commander';
import type { AdminKeyShape } from '../contract/admin-keys.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describeAdminKey } from './describe-admin-key.ts';
import { readAdminKey } from './read-admin-key.ts';

interface ReplaceAdminKeyOptions extends CommonOptions {
  readonly keyStdin?: boolean;
  readonly keyEnv?: string;
}

export function adminKeysReplace(adminKeys: Command, cli: CommandLine): void {
  subcommand(adminKeys, 'replace', 'put another admin key of the same organization in its place')
    .argument('<id>')
    .option('--key-stdin', 'read the admin key from standard input')
    .option('--key-env <name>', 'read the admin key from this environment variable')
    .action(async (id: string, options: ReplaceAdminKeyOptions) => {
      const adminKey = await readAdminKey(options, cli);
      await withContext(cli, options, async ({ client, print }) => {
        const path = `/api/manage/admin-keys/${encodeURIComponent(id)}/replace`;
        print(await client.send<AdminKeyShape>('POST', path, { adminKey }), describeAdminKey);
      });
    });
}
