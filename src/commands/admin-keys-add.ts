import type { Command } from 'commander';
import type { AdminKeyShape } from '../api/contract-admin-keys.ts';
import { TollbookError } from '../core/errors.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describeAdminKey } from './describe-admin-key.ts';
import { readSecret, readVariable } from './provider-key.ts';

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

/** Never as an argument: those are seen by everybody on the machine. */
async function readAdminKey({ keyStdin, keyEnv }: Options, { terminal }: Cli): Promise<string> {
  if ((keyStdin === true) === (keyEnv !== undefined))
    throw new TollbookError('invalid', 'Give one of --key-stdin, --key-env NAME.');
  if (keyEnv !== undefined) return readVariable(keyEnv, terminal);
  return await readSecret('Paste the admin key and end with Ctrl-D:', terminal);
}
