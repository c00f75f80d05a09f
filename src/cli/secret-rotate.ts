import type { Command } from 'commander';
import type { RotatedSecret } from '../contract/installation.ts';
import { type CliEnvironment, type CommonOptions, subcommand, withContext } from './cli.ts';
import { readSecret, readVariable } from './keys.ts';

interface RotateSecretOptions extends CommonOptions {
  readonly stdin?: boolean;
  readonly secretEnv?: string;
}

export function secretRotate(secret: Command, cli: CliEnvironment): void {
  subcommand(secret, 'rotate', 'encrypt all stored secrets with a new master secret')
    .option('--stdin', 'read the new secret from standard input')
    .option('--secret-env <name>', 'read the new secret from this environment variable')
    .action((options: RotateSecretOptions) =>
      withContext(cli, options, async ({ client, terminal, print }) => {
        const given = await (options.stdin
          ? readSecret('Paste the new secret and end with Ctrl-D:', terminal)
          : (options.secretEnv && readVariable(options.secretEnv, terminal)) || null);
        print(await client.call('POST /api/manage/secret/rotate', { body: { secret: given } }), renderRotation);
      }),
    );
}

function renderRotation({ setByOperator }: RotatedSecret): string {
  return setByOperator
    ? 'Secrets encrypted again. Set SVC_SECRET to the new secret before the next start.'
    : 'Secrets encrypted again; the new secret is in the data folder. Older backups need the old secret.';
}
