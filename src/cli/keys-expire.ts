import type { Command } from 'commander';
import type { WrappedKeyShape } from '../contract/usage.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { keyPath } from './key-id.ts';

export function keysExpire(keys: Command, cli: CommandLine): void {
  subcommand(keys, 'expire <key> <date>', 'set until when a wrapped key works: a date, or never').action(
    (id: string, date: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const expiresAt = date === 'never' ? null : date;
        const path = await keyPath(client, 'keys', id);
        const key = await client.send<WrappedKeyShape>('PATCH', path, { expiresAt });
        print(key, () =>
          key.expiresAt ? `${key.id} works until ${key.expiresAt}.` : `${key.id} works until it is revoked.`,
        );
      }),
  );
}
