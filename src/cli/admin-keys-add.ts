import type { Command } from 'commander';
import type { AdminKeyShape } from '../contract/admin-keys.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describeAdminKey } from './describe-admin-key.ts';
import { readAdminKey } from './read-admin-key.ts';

interface Options extends CommonOptions {
  readonly provider: string;
  readonly name: string;
  readonly keyStdin?: boolean;
  readonly keyEnv?: string;
}

export function adminKeysAdd(adminKeys: Command, cli: Cli): void {
  subcommand(adminKeys, 'add', "read an organization's reports with its admin key")
    .requiredOption('--provider <id>', 'anthropic or openai')
    .requiredOption('--name <name>', 'for people')
    .option('--key-stdin', 'read the admin key from standard input')
    .option('--key-env <name>', 'read the admin key from this environment variable')
    .action(async (options: Options) => {
      const { provider, name } = options;
      const adminKey = await readAdminKey(options, cli);
      await withSession(cli, options, async ({ client, print }) => {
        const body = { provider, name, adminKey };
        print(await client.send<AdminKeyShape>('POST', '/api/manage/admin-keys', body), describeAdminKey);
      });
    });
}
