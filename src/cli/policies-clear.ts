import type { Command } from 'commander';
import type { KeyPolicyShape, PolicyShape } from '../contract/limits.ts';
import { TollbookError } from '../domain/errors.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describePolicy } from './describe-policy.ts';
import { keyPath } from './key-id.ts';

/** Options of `policies set`, and what they set. */
const FIELDS: ReadonlyMap<string, keyof PolicyShape> = new Map([
  ['allow-model', 'allowedModels'],
  ['deny-model', 'deniedModels'],
  ['max-output', 'maxOutputTokens'],
  ['require-tag', 'requiredTags'],
  ['address', 'addresses'],
  ['hours', 'activeHours'],
  ['clamp', 'whenOverLimit'],
  ['presume', 'assumedCostUsd'],
  ['unpriced', 'unpriced'],
  ['on-disconnect', 'onDisconnect'],
  ['geo', 'geo'],
  ['tier', 'tier'],
  ['max-body', 'bodyBytesMax'],
]);

export function policiesClear(policies: Command, cli: CommandLine): void {
  subcommand(
    policies,
    'clear <key> [rule...]',
    'take rules of a wrapped key away: those named like options of set, or all',
  ).action((key: string, rules: readonly string[], options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const gone = new Set(rules.map(readPolicyField));
      const path = await keyPath(client, 'policies', key);
      if (gone.size === 0) return print(await client.send<KeyPolicyShape>('DELETE', path), describePolicy);
      const { policy } = await client.get<KeyPolicyShape>(path);
      // What is not said is as it is for everybody.
      const rest = Object.entries(policy).filter(([field]) => !gone.has(field as keyof PolicyShape));
      print(await client.send<KeyPolicyShape>('PUT', path, Object.fromEntries(rest)), describePolicy);
    }),
  );
}

function readPolicyField(rule: string): keyof PolicyShape {
  const field = FIELDS.get(rule);
  if (field) return field;
  throw new TollbookError('invalid', `There is no rule "${rule}"; choose from ${[...FIELDS.keys()].join(', ')}.`);
}
