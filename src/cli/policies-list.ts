import type { Command } from 'commander';
import type { KeyPolicyShape } from '../contract/limits.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describePolicy } from './describe-policy.ts';

export function policiesList(policies: Command, cli: CommandLine): void {
  subcommand(policies, 'list', 'list wrapped keys that have rules').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.get<KeyPolicyShape[]>('/api/manage/policies'), (all) =>
        all.length === 0 ? 'No wrapped key has rules yet.' : all.map(describePolicy).join('\n\n'),
      );
    }),
  );
}
