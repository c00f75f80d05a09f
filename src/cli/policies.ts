import { Option } from 'commander';
import type { Command } from 'commander';
import type { KeyPolicyShape, PolicyShape } from '../contract/limits.ts';
import { TollbookError } from '../domain/errors.ts';
import { readActiveHours } from './active-hours.ts';
import { readByteSize } from './byte-size.ts';
import { collect, subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { describePolicy } from './describe-policy.ts';
import { keyPath } from './key-id.ts';

interface SetPolicyOptions extends CommonOptions {
  readonly allowModel?: string[];
  readonly denyModel?: string[];
  readonly maxOutput?: string;
  readonly requireTag?: string[];
  readonly address?: string[];
  readonly hours?: string;
  readonly clamp?: boolean;
  readonly refuse?: boolean;
  readonly presume?: string;
  readonly unpriced?: string;
  readonly onDisconnect?: string;
  readonly geo?: string;
  readonly tier?: string;
  readonly maxBody?: string;
}

export function policiesSet(policies: Command, cli: CommandLine): void {
  subcommand(policies, 'set <key>', 'set rules of a wrapped key (its id or name); others stay as they are')
    .option('--allow-model <pattern>', 'only these, for instance claude-haiku-*; may be repeated', collect)
    .option('--deny-model <pattern>', 'not these; may be repeated', collect)
    .option('--max-output <tokens>', 'largest output of a call, all its answers together')
    .option('--require-tag <key[=a,b]>', 'a call must carry it, with one of these values; may be repeated', collect)
    .option('--address <address>', 'only from there, for instance 10.0.0.0/8; may be repeated', collect)
    .option('--hours <hours>', "only then, for instance 'Mon-Fri 09:00-18:00 Europe/Berlin'")
    .addOption(new Option('--clamp', 'shorten the output of a call that is too large').conflicts('refuse'))
    .option('--refuse', 'refuse a call that is too large (default)')
    .option('--presume <usd>', 'let work without a bound pass, presumed to cost so much')
    .addOption(new Option('--unpriced <what>', 'models without a price').choices(['allow', 'refuse']))
    .addOption(new Option('--on-disconnect <what>', 'read on, or stop').choices(['drain', 'abort']))
    .option('--geo <word>', 'where the provider key is bound to, for instance us')
    .option('--tier <word>', "service tier of the provider key's project")
    .option('--max-body <size>', 'largest request, for instance 1MiB')
    .action((key: string, options: SetPolicyOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const rules = readPolicyRules(options);
        if (Object.keys(rules).length === 0)
          throw new TollbookError(
            'invalid',
            'Give a rule, for instance --allow-model; policies set --help lists them.',
          );
        const path = await keyPath(client, 'policies', key);
        const { policy } = await client.get<KeyPolicyShape>(path);
        print(await client.send<KeyPolicyShape>('PUT', path, { ...policy, ...rules }), describePolicy);
      }),
    );
}

/** The rules that were given. What each may say is checked by the API. */
function readPolicyRules(options: SetPolicyOptions): Partial<Record<keyof PolicyShape, unknown>> {
  const { maxOutput, requireTag, hours, maxBody } = options;
  const rules: Record<keyof PolicyShape, unknown> = {
    allowedModels: options.allowModel,
    deniedModels: options.denyModel,
    maxOutputTokens: maxOutput && (/^\d{1,15}$/.test(maxOutput) ? Number(maxOutput) : maxOutput),
    requiredTags: requireTag && readRequired(requireTag),
    addresses: options.address,
    activeHours: hours === undefined ? undefined : readActiveHours(hours),
    whenOverLimit: options.clamp ? 'clamp' : options.refuse ? 'refuse' : undefined,
    assumedCostUsd: options.presume,
    unpriced: options.unpriced,
    onDisconnect: options.onDisconnect,
    geo: options.geo,
    tier: options.tier,
    bodyBytesMax: maxBody === undefined ? undefined : readByteSize(maxBody, '--max-body'),
  };
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
}

/** `team=search,ads` or `user`: the values it may have, or null for any. */
function readRequired(texts: readonly string[]): Record<string, string[] | null> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1).split(',')];
    }),
  );
}
