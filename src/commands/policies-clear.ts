import type { Command } from 'commander';
import type { KeyPolicyShape } from '../api/contract-limits.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describePolicy } from './describe-policy.ts';

export function policiesClear(policies: Command, cli: Cli): void {
  subcommand(policies, 'clear <key>', 'take all rules of a wrapped key away').action(
    (key: string, options: CommonOptions) =>
      withSession(cli, options, async ({ client, print }) => {
        const path = `/api/manage/policies/${encodeURIComponent(key)}`;
        print(await client.send<KeyPolicyShape>('DELETE', path), describePolicy);
      }),
  );
}
