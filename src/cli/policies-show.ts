import type { Command } from 'commander';
import type { KeyPolicyShape } from '../contract/limits.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describePolicy } from './describe-policy.ts';
import { keyPath } from './key-id.ts';

export function policiesShow(policies: Command, cli: CommandLine): void {
  subcommand(policies, 'show <key>', 'show the rules of a wrapped key').action((key: string, options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.get<KeyPolicyShape>(await keyPath(client, 'policies', key)), describePolicy);
    }),
  );
}
