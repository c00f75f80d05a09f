import { type Command, Option } from 'commander';
import type { KeyPolicyShape, PolicyShape, WrittenPolicyShape } from '../contract/limits.ts';
import { TollbookError } from '../domain/errors.ts';
import { OPEN_POLICY } from '../domain/policy/policy.ts';
import { readActiveHours, renderActiveHours } from './active-hours.ts';
import { readByteSize } from './byte-size.ts';
import { collect, type CliEnvironment, type CommonOptions, subcommand, withContext } from './cli.ts';
import { findKeyId } from './key-id.ts';
import { alignLeft, plainText } from './table.ts';
import { formatAmount } from '../domain/text/limits.ts';
import { formatCount } from '../domain/text/counts.ts';

const RULE_WIDTH = 19;

/** Returns the rules that differ from the open policy, one in a line. */
export function describePolicy({ keyId, keyName, policy }: KeyPolicyShape): string {
  const rules = policyRules(policy);
  const who = plainText(`Key ${keyId} "${keyName}"`);
  if (rules.length === 0) return `${who} has no policy: everything that the provider allows is allowed.`;
  return [`${who}:`, ...rules.map(([rule, text]) => `  ${alignLeft(rule, RULE_WIDTH)} ${plainText(text)}`)].join('\n');
}

function policyRules(policy: PolicyShape): [rule: string, text: string][] {
  const { assumedCostUsd, activeHours, requiredTags } = policy;
  const required = Object.entries(requiredTags).map(([key, values]) => (values ? `${key}=${values.join(',')}` : key));
  const rules: [string, string | number | false | null][] = [
    ['models allowed', policy.allowedModels?.join(', ') ?? null],
    ['models denied', policy.deniedModels.join(', ')],
    ['largest output', policy.maxOutputTokens && `${formatCount(policy.maxOutputTokens)} tokens`],
    ['tags required', required.join('; ')],
    ['names required', policy.requiredNames.join(', ')],
    ['sessions', policy.maxSessionsPerHour && `at most ${formatCount(policy.maxSessionsPerHour)} an hour`],
    ['addresses', policy.allowedAddresses?.join(', ') ?? null],
    ['hours', activeHours && renderActiveHours(activeHours)],
    ['calls over limit', policy.whenOverLimit === 'refuse' && 'are refused'],
    [
      'shortest output',
      policy.minOutputTokens !== OPEN_POLICY.minOutputTokens && `${formatCount(policy.minOutputTokens)} tokens`,
    ],
    ['unbounded work', assumedCostUsd && `is assumed to cost ${formatAmount('usd', assumedCostUsd)}`],
    ['unpriced models', policy.unpricedModels === 'allow' && 'are allowed'],
    ['on disconnect', policy.onDisconnect === 'abort' && 'cancel the call'],
    ['geography', policy.geo],
    ['service tier', policy.tier],
    ['largest request', policy.maxBodyBytes && `${formatCount(policy.maxBodyBytes)} bytes`],
  ];
  return rules.flatMap(([rule, text]) => (text ? [[rule, String(text)]] : []));
}

interface SetPolicyOptions extends CommonOptions {
  readonly allowModel?: string[];
  readonly denyModel?: string[];
  readonly maxOutput?: string;
  readonly requireTag?: string[];
  readonly requireName?: string[];
  readonly maxSessions?: string;
  readonly address?: string[];
  readonly hours?: string;
  readonly shorten?: boolean;
  readonly refuse?: boolean;
  readonly minOutput?: string;
  readonly presume?: string;
  readonly unpriced?: PolicyShape['unpricedModels'];
  readonly onDisconnect?: PolicyShape['onDisconnect'];
  readonly geo?: string;
  readonly tier?: string;
  readonly maxBody?: string;
}

export function policiesSet(policies: Command, cli: CliEnvironment): void {
  subcommand(policies, 'set <key>', 'set rules of a wrapped key (id or name); other rules stay')
    .option('--allow-model <pattern>', 'only these models, for example claude-haiku-*; repeatable', collect)
    .option('--deny-model <pattern>', 'not these models; repeatable', collect)
    .option('--max-output <tokens>', 'maximum output of a call, over all its responses')
    .option('--require-tag <key[=a,b]>', 'tag that every call must have, with one of these values; repeatable', collect)
    .option('--require-name <name>', 'session or run, which every call must name; repeatable', collect)
    .option('--max-sessions <number>', 'sessions that calls may name in one hour')
    .option('--address <address>', 'only from these addresses, for example 10.0.0.0/8; repeatable', collect)
    .option('--hours <hours>', "only at these hours, for example 'Mon-Fri 09:00-18:00 Europe/Berlin'")
    .addOption(new Option('--shorten', 'shorten calls that may exceed a limit (default)').conflicts('refuse'))
    .option('--refuse', 'refuse calls that may exceed a limit')
    .option('--min-output <tokens>', 'shorten calls to no fewer output tokens (default: 4,096)')
    .option('--presume <usd>', 'allow unbounded work, at this assumed cost')
    .addOption(new Option('--unpriced <what>', 'allow or refuse models without a price').choices(['allow', 'refuse']))
    .addOption(new Option('--on-disconnect <what>', 'continue the call, or cancel it').choices(['drain', 'abort']))
    .option('--geo <word>', 'region of the provider key, for example us')
    .option('--tier <word>', "service tier of the provider key's project")
    .option('--max-body <size>', 'maximum size of a request, for example 1MiB')
    .action((key: string, options: SetPolicyOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const rules = readPolicyRules(options);
        if (Object.keys(rules).length === 0)
          throw new TollbookError(
            'invalid',
            'Set at least one rule, for example --allow-model. All rules: policies set --help',
          );
        const params = { keyId: await findKeyId(client, key) };
        const { policy, etag } = await client.call('GET /api/manage/policies/{keyId}', { params });
        const request = { params, body: { ...policy, ...rules }, ifMatch: etag };
        print(await client.call('PUT /api/manage/policies/{keyId}', request), describePolicy);
      }),
    );
}

/** Reads the given rules. The API checks their values. */
function readPolicyRules(options: SetPolicyOptions): WrittenPolicyShape {
  const { maxOutput, minOutput, requireTag, hours, maxBody } = options;
  const rules: Record<keyof PolicyShape, unknown> & WrittenPolicyShape = {
    allowedModels: options.allowModel,
    deniedModels: options.denyModel,
    maxOutputTokens: maxOutput === undefined ? undefined : readTokens(maxOutput, '--max-output'),
    requiredTags: requireTag && readRequired(requireTag),
    requiredNames: options.requireName,
    maxSessionsPerHour:
      options.maxSessions === undefined ? undefined : readTokens(options.maxSessions, '--max-sessions'),
    allowedAddresses: options.address,
    activeHours: hours === undefined ? undefined : readActiveHours(hours),
    whenOverLimit: options.shorten ? 'shorten' : options.refuse ? 'refuse' : undefined,
    minOutputTokens: minOutput === undefined ? undefined : readTokens(minOutput, '--min-output'),
    assumedCostUsd: options.presume,
    unpricedModels: options.unpriced,
    onDisconnect: options.onDisconnect,
    geo: options.geo,
    tier: options.tier,
    maxBodyBytes: maxBody === undefined ? undefined : readByteSize(maxBody, '--max-body'),
  };
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
}

function readTokens(text: string, option: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new TollbookError('invalid', `"${text}" is not a whole number; for example: ${option} 4096`);
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

export function policiesList(policies: Command, cli: CliEnvironment): void {
  subcommand(policies, 'list', 'list wrapped keys with a policy').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.call('GET /api/manage/policies'), (all) =>
        all.length === 0 ? 'No wrapped key has a policy yet.' : all.map(describePolicy).join('\n\n'),
      );
    }),
  );
}

export function policiesShow(policies: Command, cli: CliEnvironment): void {
  subcommand(policies, 'show <key>', 'show the policy of a wrapped key').action((key: string, options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const params = { keyId: await findKeyId(client, key) };
      print(await client.call('GET /api/manage/policies/{keyId}', { params }), describePolicy);
    }),
  );
}

/** Options of `policies set`, and what they set. */
const FIELDS: ReadonlyMap<string, keyof PolicyShape> = new Map([
  ['allow-model', 'allowedModels'],
  ['deny-model', 'deniedModels'],
  ['max-output', 'maxOutputTokens'],
  ['require-tag', 'requiredTags'],
  ['require-name', 'requiredNames'],
  ['max-sessions', 'maxSessionsPerHour'],
  ['address', 'allowedAddresses'],
  ['hours', 'activeHours'],
  ['refuse', 'whenOverLimit'],
  ['min-output', 'minOutputTokens'],
  ['presume', 'assumedCostUsd'],
  ['unpriced', 'unpricedModels'],
  ['on-disconnect', 'onDisconnect'],
  ['geo', 'geo'],
  ['tier', 'tier'],
  ['max-body', 'maxBodyBytes'],
]);

export function policiesClear(policies: Command, cli: CliEnvironment): void {
  subcommand(
    policies,
    'clear <key> [rule...]',
    'clear rules of a wrapped key, named like the options of set (default: all)',
  ).action((key: string, rules: readonly string[], options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const gone = new Set(rules.map(readPolicyField));
      const params = { keyId: await findKeyId(client, key) };
      if (gone.size === 0)
        return print(await client.call('DELETE /api/manage/policies/{keyId}', { params }), describePolicy);
      const { policy, etag } = await client.call('GET /api/manage/policies/{keyId}', { params });
      // An absent rule gets its default.
      const rest = Object.entries(policy).filter(([field]) => !gone.has(field as keyof PolicyShape));
      const request = { params, body: Object.fromEntries(rest), ifMatch: etag };
      print(await client.call('PUT /api/manage/policies/{keyId}', request), describePolicy);
    }),
  );
}

function readPolicyField(rule: string): keyof PolicyShape {
  const field = FIELDS.get(rule);
  if (field) return field;
  throw new TollbookError('invalid', `Unknown rule "${rule}"; use one of ${[...FIELDS.keys()].join(', ')}.`);
}
