import type { Command } from 'commander';
import type { KeyClients } from '../contract/keys.ts';
import type { CreatedKey } from '../contract/usage.ts';
import { collect, subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { findKeyId } from './key-id.ts';
import { readProviderKey } from './provider-key.ts';
import type { ProviderKeyOptions } from './provider-key.ts';
import { readTags } from './tags.ts';

interface CreateKeyOptions extends ProviderKeyOptions, CommonOptions {
  readonly provider: string;
  readonly name: string;
  readonly tag?: string[];
  readonly expires?: string;
  readonly force?: boolean;
}

export function keysCreate(keys: Command, cli: CommandLine): void {
  subcommand(keys, 'create', 'make a wrapped key for a provider key; it is shown once')
    .requiredOption('--provider <id>', 'one of those that `providers list` shows')
    .requiredOption('--name <name>', 'for people')
    .option('--tag <key=value>', 'on every call of this key; may be repeated', collect)
    .option('--expires <date>', 'for instance 2027-01-31')
    .option('--provider-key-stdin', 'read the provider key from standard input')
    .option('--provider-key-env <name>', 'read the provider key from this environment variable')
    .option('--provider-key-of <key>', 'share the provider key of another wrapped key')
    .option('--force', 'keep the provider key even if the provider refuses it')
    .action(async (options: CreateKeyOptions) => {
      const providerKey = await readProviderKey(options, cli.terminal);
      await withContext(cli, options, async ({ client, terminal, print }) => {
        const { warnings = [], ...created } = await client.send<CreatedKey>('POST', '/api/manage/keys', {
          name: options.name,
          provider: options.provider,
          providerKey,
          providerKeyOf: options.providerKeyOf && (await findKeyId(client, options.providerKeyOf)),
          tags: readTags(options.tag ?? []),
          expiresAt: options.expires ?? null,
          force: options.force ?? false,
        });
        for (const warning of warnings) terminal.err(`Warning: ${warning}\n`);
        const clients = await client.get<KeyClients>(`/api/manage/keys/${created.id}/clients`);
        print(created, (key) => renderKey(key, clients));
      });
    });
}

function renderKey({ name, provider, key }: CreatedKey, { placeholder, clients }: KeyClients): string {
  const blocks = clients.map(
    ({ client, lines }) =>
      `${client}\n${lines.map((line) => `  ${line.replaceAll(placeholder, key)}`.trimEnd()).join('\n')}`,
  );
  return [`Wrapped key "${name}" for ${provider}. It is shown only now:\n\n  ${key}`, ...blocks].join('\n\n');
}
