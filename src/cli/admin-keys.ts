import type { Command } from 'commander';
import type { AdminKeyShape } from '../contract/admin-keys.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describeAdminKey } from './describe-admin-key.ts';
import { readAdminKey } from './read-admin-key.ts';

interface AddAdminKeyOptions extends CommonOptions {
  readonly provider: string;
  readonly name: string;
  readonly keyStdin?: boolean;
  readonly keyEnv?: string;
}

export function adminKeysAdd(adminKeys: Command, cli: CommandLine): void {
  subcommand(adminKeys, 'add', "read an organization's reports with its admin key")
    .requiredOption('--provider <id>', 'anthropic or openai')
    .requiredOption('--name <name>', 'for people')
    .option('--key-stdin', 'read the admin key from standard input')
    .option('--key-env <name>', 'read the admin key from this environment variable')
    .action(async (options: AddAdminKeyOptions) => {
      const { provider, name } = options;
      const adminKey = await readAdminKey(options, cli);
      await withContext(cli, options, async ({ client, print }) => {
        const body = { provider, name, adminKey };
        print(await client.send<AdminKeyShape>('POST', '/api/manage/admin-keys', body), describeAdminKey);
      });
    });
}
