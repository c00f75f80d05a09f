import type { Command } from 'commander';
import type { KeyClients, CreatedKey, WrappedKeyShape } from '../contract/keys.ts';
import { collect, type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { findKeyId } from './key-id.ts';
import { readTags } from './tags.ts';
import { limitSentence } from './limits.ts';
import { describeState } from './secret-state.ts';
import { tableWithNotes } from './table.ts';
import { TollbookError } from '../domain/errors.ts';
import type { CommandTerminal } from './terminal.ts';
import { readDeadline } from './time-options.ts';

export interface ProviderKeyOptions {
  readonly providerKeyStdin?: boolean;
  readonly providerKeyEnv?: string;
  readonly providerKeyOf?: string;
}

/** Reads a provider key. It is never an argument: other users of the machine see arguments, and shells record them. */
export async function readProviderKey(
  options: ProviderKeyOptions & { readonly providerKeyOf?: never },
  terminal: CommandTerminal,
): Promise<string>;
export async function readProviderKey(
  options: ProviderKeyOptions,
  terminal: CommandTerminal,
): Promise<string | undefined>;
export async function readProviderKey(
  options: ProviderKeyOptions,
  terminal: CommandTerminal,
): Promise<string | undefined> {
  const sources = [options.providerKeyStdin, options.providerKeyEnv, options.providerKeyOf].filter(Boolean);
  if (sources.length !== 1)
    throw new TollbookError(
      'invalid',
      'Use one of --provider-key-stdin, --provider-key-env NAME, --provider-key-of ID and, for new keys, --subscription.',
    );
  if (options.providerKeyOf !== undefined) return undefined;
  if (options.providerKeyEnv !== undefined) return readVariable(options.providerKeyEnv, terminal);
  return readSecret('Paste the provider key and end with Ctrl-D:', terminal);
}

/** Reads the key of a new wrapped key. Without an option, the service decides whether the provider needs one. */
async function readOptionalProviderKey(
  options: ProviderKeyOptions,
  terminal: CommandTerminal,
): Promise<string | undefined> {
  const { providerKeyStdin, providerKeyEnv, providerKeyOf } = options;
  const isGiven = providerKeyStdin || providerKeyEnv !== undefined || providerKeyOf !== undefined;
  return isGiven ? await readProviderKey(options, terminal) : undefined;
}

function refuseProviderKey({ providerKeyStdin, providerKeyEnv, providerKeyOf }: ProviderKeyOptions): undefined {
  if (providerKeyStdin || providerKeyEnv || providerKeyOf)
    throw new TollbookError(
      'invalid',
      'A key with --subscription has no provider key. Leave out the --provider-key option.',
    );
}

export async function readSecret(prompt: string, terminal: CommandTerminal): Promise<string> {
  if (terminal.inIsTerminal) terminal.err(`${prompt}\n`);
  const secret = (await terminal.readIn()).trim();
  if (secret === '') throw new TollbookError('invalid', 'Standard input is empty; expected the secret there.');
  return secret;
}

export function readVariable(name: string, terminal: CommandTerminal): string {
  const value = terminal.env[name]?.trim();
  if (!value) throw new TollbookError('invalid', `The environment variable ${name} is not set.`);
  return value;
}

interface CreateKeyOptions extends ProviderKeyOptions, CommonOptions {
  readonly subscription?: boolean;
  readonly provider: string;
  readonly name: string;
  readonly tag?: string[];
  readonly expires?: string;
  readonly sessionBudget?: string;
  readonly agentBudget?: string;
  readonly runBudget?: string;
  readonly force?: boolean;
}

export function keysCreate(keys: Command, cli: CliEnvironment): void {
  subcommand(keys, 'create', 'create a wrapped key; it is shown once')
    .requiredOption('--provider <id>', 'provider id, see: providers list')
    .requiredOption('--name <name>', 'name shown in lists')
    .option('--tag <key=value>', 'tag on every call of this key; repeatable', collect)
    .option('--expires <time>', 'expiry, for example 90d, 2027-01-31')
    .option('--provider-key-stdin', 'read the provider key from standard input')
    .option('--provider-key-env <name>', 'read the provider key from this environment variable')
    .option('--provider-key-of <key>', 'share the provider key of another wrapped key')
    .option('--subscription', "use the login of the client's own subscription instead of a provider key")
    .option('--session-budget <usd>', 'limit on each session of the key, in dollars')
    .option('--agent-budget <usd>', 'limit on each agent of the key')
    .option('--run-budget <usd>', 'limit on each run of the key')
    .option('--force', 'keep the provider key even if the provider rejects it')
    .action(async (options: CreateKeyOptions) => {
      const providerKey = options.subscription
        ? refuseProviderKey(options)
        : await readOptionalProviderKey(options, cli.terminal);
      await withContext(cli, options, async (context) => {
        const { client, terminal, print } = context;
        const { warnings = [], ...created } = await client.call('POST /api/manage/keys', {
          body: {
            name: options.name,
            provider: options.provider,
            providerKey,
            providerKeyOf: options.providerKeyOf && (await findKeyId(client, options.providerKeyOf)),
            credential: options.subscription ? 'subscription' : undefined,
            tags: readTags(options.tag ?? []),
            expiresAt: options.expires === undefined ? null : readDeadline(options.expires, '--expires', context),
            budgets: { session: options.sessionBudget, agent: options.agentBudget, run: options.runBudget },
            force: options.force ?? false,
          },
        });
        for (const warning of warnings) terminal.err(`Warning: ${warning}\n`);
        const clients = await client.call('GET /api/manage/keys/{id}/clients', { params: { id: created.id } });
        print(created, (key) => renderKey(key, clients));
      });
    });
}

/** Clients that are named after a new key. */
const CLIENTS_NAMED = 3;
const PLAIN_WORD = /^[\w.-]+$/;

function renderKey({ id, name, provider, key, limits = [] }: CreatedKey, { address, clients }: KeyClients): string {
  const named = clients.slice(0, CLIENTS_NAMED).map(({ client }) => client);
  const more = clients.length > named.length ? ' and others' : '';
  return [
    `Wrapped key "${name}" for ${provider}. Copy it now; it is not shown again:\n\n  ${key}`,
    ...(limits.length === 0 ? [] : [limits.map((limit) => limitSentence(limit, () => name)).join('\n')]),
    [
      `Base URL: ${address}`,
      `Lines for ${named.join(', ')}${more}:`,
      `  tollbook keys clients ${PLAIN_WORD.test(name) ? name : id}`,
    ].join('\n'),
  ].join('\n\n');
}

export function keysClients(keys: Command, cli: CliEnvironment): void {
  subcommand(keys, 'clients <key>', 'print what clients of a wrapped key need: curl, libraries and assistants').action(
    (idOrName: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const params = { id: await findKeyId(client, idOrName) };
        print(await client.call('GET /api/manage/keys/{id}/clients', { params }), renderClients);
      }),
  );
}

function renderClients({ clients, placeholder }: KeyClients): string {
  const blocks = clients.map(
    ({ client, lines }) => `${client}\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}`,
  );
  return [...blocks, `Put the wrapped key in place of ${placeholder}.`].join('\n\n');
}

export function keysList(keys: Command, cli: CliEnvironment): void {
  subcommand(keys, 'list', 'list wrapped keys, newest first')
    .option('--all', 'include revoked ones')
    .action((options: CommonOptions & { all?: boolean }) =>
      withContext(cli, options, async ({ client, print }) => {
        const all = await client.call('GET /api/manage/keys');
        print(
          all.filter(({ revokedAt }) => options.all || revokedAt === null),
          renderKeys,
        );
      }),
    );
}

function renderKeys(keys: readonly WrappedKeyShape[], { width, timeZone }: TextLayout): string {
  if (keys.length === 0)
    return `No wrapped keys yet. Create one:

  npx tollbook keys create --provider anthropic --name first \\
  --provider-key-env ANTHROPIC_API_KEY`;
  return tableWithNotes(
    ['ID', 'NAME', 'PROVIDER', 'STATE', 'PROVIDER KEY'],
    keys.map((key) => ({
      cells: [key.id, key.name, key.provider, describeState(key, timeZone), describeProviderKey(key)],
      notes: (line) => keyNotes(key, line, timeZone),
    })),
    width,
  );
}

/** Returns the notes below a row: the tags, and the state if it was cut from the row. */
function keyNotes(key: WrappedKeyShape, line: string, timeZone: string): string[] {
  const state = describeState(key, timeZone);
  const tags = Object.entries(key.tags).map(([name, value]) => `${name}=${value}`);
  return line.includes(state) ? tags : [state, ...tags];
}

function describeProviderKey({ providerKey }: WrappedKeyShape): string {
  if (providerKey === null) return 'subscription login';
  const { lastFour, usedBy } = providerKey;
  const end = lastFour === null ? 'not shown' : `…${lastFour}`;
  return usedBy > 1 ? `${end}, shared by ${usedBy}` : end;
}

export function keysRename(keys: Command, cli: CliEnvironment): void {
  subcommand(keys, 'rename <key> <name>', 'rename a wrapped key').action(
    (idOrName: string, name: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const params = { id: await findKeyId(client, idOrName) };
        const key = await client.call('PATCH /api/manage/keys/{id}', { params, body: { name } });
        print(key, () => `${key.id} renamed to "${key.name}".`);
      }),
  );
}

export function keysExpire(keys: Command, cli: CliEnvironment): void {
  subcommand(
    keys,
    'expire <key> <time>',
    'set the expiry of a wrapped key: for example 90d, 2027-01-31, or never',
  ).action((idOrName: string, time: string, options: CommonOptions) =>
    withContext(cli, options, async (context) => {
      const { client, print } = context;
      const expiresAt = time === 'never' ? null : readDeadline(time, 'The expiry', context);
      const params = { id: await findKeyId(client, idOrName) };
      const key = await client.call('PATCH /api/manage/keys/{id}', { params, body: { expiresAt } });
      print(key, () => (key.expiresAt ? `${key.id} expires at ${key.expiresAt}.` : `${key.id} never expires.`));
    }),
  );
}

interface ReplaceKeyOptions extends CommonOptions {
  readonly providerKeyStdin?: boolean;
  readonly providerKeyEnv?: string;
  readonly force?: boolean;
}

export function keysReplace(keys: Command, cli: CliEnvironment): void {
  subcommand(keys, 'replace <key>', 'replace the provider key of a wrapped key, and of all keys that share it')
    .option('--provider-key-stdin', 'read the provider key from standard input')
    .option('--provider-key-env <name>', 'read the provider key from this environment variable')
    .option('--force', 'keep the provider key even if the provider rejects it')
    .action(async (idOrName: string, options: ReplaceKeyOptions) => {
      const providerKey = await readProviderKey(options, cli.terminal);
      await withContext(cli, options, async ({ client, terminal, print }) => {
        const params = { id: await findKeyId(client, idOrName) };
        const body = { providerKey, force: options.force ?? false };
        const { warnings = [], changed } = await client.call('POST /api/manage/keys/{id}/provider-key', {
          params,
          body,
        });
        for (const warning of warnings) terminal.err(`Warning: ${warning}\n`);
        print(changed, () => `Changed: ${changed.map(({ id, name }) => `${id} "${name}"`).join(', ')}.`);
      });
    });
}

export function keysRevoke(keys: Command, cli: CliEnvironment): void {
  subcommand(keys, 'revoke <key>', 'revoke a wrapped key permanently').action(
    (idOrName: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const params = { id: await findKeyId(client, idOrName) };
        const key = await client.call('DELETE /api/manage/keys/{id}', { params });
        print(key, () => `${key.id} "${key.name}" revoked.`);
      }),
  );
}
