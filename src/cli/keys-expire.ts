import type { Command } from 'commander';
import type { WrappedKeyShape } from '../contract/usage.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { keyPath } from './key-id.ts';

export function keysExpire(keys: Command, cli: Cli): void {
  subcommand(keys, 'expire <key> <date>', 'set until when a wrapped key works: a date, or never').action(
    (id: string, date: string, options: CommonOptions) =>
      withSession(cli, options, async ({ client, print }) => {
        const expiresAt = date === 'never' ? null : date;
        const path = await keyPath(client, 'keys', id);
        const key = await client.send<WrappedKeyShape>('PATCH', path, { expiresAt });
        print(key, () =>
          key.expiresAt ? `${key.id} works until ${key.expiresAt}.` : `${key.id} works until it is revoked.`,
        );
      }),
  );
}
