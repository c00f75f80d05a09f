import type { Command } from 'commander';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { readSecret, readVariable } from './provider-key.ts';

interface SecretWebhookOptions extends CommonOptions {
  readonly secretStdin?: boolean;
  readonly secretEnv?: string;
  readonly dropOld?: boolean;
}

interface NewSecret {
  readonly secret: string;
  readonly oldSecretUntil: string | null;
}

export function webhooksSecret(webhooks: Command, cli: CommandLine): void {
  subcommand(webhooks, 'secret', 'give a webhook a new secret, made for you unless you bring one')
    .argument('<id>')
    .option('--secret-stdin', 'read it from standard input')
    .option('--secret-env <name>', 'read it from this environment variable')
    .option('--drop-old', 'the one before signs no more, not even for 24 hours')
    .action((id: string, options: SecretWebhookOptions) =>
      withContext(cli, options, async ({ client, terminal, print }) => {
        const secret = options.secretStdin
          ? await readSecret('Paste the secret and end with Ctrl-D:', terminal)
          : options.secretEnv && readVariable(options.secretEnv, terminal);
        const path = `/api/mcp/webhooks/${encodeURIComponent(id)}/secret`;
        print(await client.send<NewSecret>('POST', path, { secret, dropOld: options.dropOld ?? false }), (answer) =>
          [
            ...(secret ? ['The secret is set.'] : [answer.secret, 'Keep it: it is not shown again.']),
            ...(answer.oldSecretUntil === null ? [] : [`The one before signs too, until ${answer.oldSecretUntil}.`]),
          ].join('\n'),
        );
      }),
    );
}
