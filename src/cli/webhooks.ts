import type { Command } from 'commander';
import type { WebhookShape } from '../contract/webhooks.ts';
import { EVENT_NAMES } from '../domain/alerts/webhook.ts';
import { WEBHOOK_KINDS, WEBHOOK_TYPES } from '../domain/alerts/webhook-kinds.ts';
import { collect, subcommand, withContext } from './cli.ts';
import type { CommandLine } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { readSecret, readVariable } from './provider-key.ts';

interface CreateWebhookOptions extends CommonOptions {
  readonly name: string;
  readonly url: string;
  readonly type: string;
  readonly event: string[];
  readonly secretStdin?: boolean;
  readonly secretEnv?: string;
  readonly weeklyDigest?: boolean;
}

export function webhooksCreate(webhooks: Command, cli: CommandLine): void {
  subcommand(webhooks, 'create', 'make a webhook')
    .requiredOption('--name <name>', 'for people')
    .requiredOption('--url <url>', 'where alerts go')
    .requiredOption('--type <type>', WEBHOOK_TYPES.join(', ').toLowerCase())
    .requiredOption('--event <event>', `${EVENT_NAMES.join(', ').toLowerCase()}; may be repeated`, collect)
    .option('--secret-stdin', 'read the secret that signs from standard input')
    .option('--secret-env <name>', 'read the secret that signs from this environment variable')
    .option('--weekly-digest', 'a summary each Monday too')
    .action((options: CreateWebhookOptions) =>
      withContext(cli, options, async ({ client, terminal, print }) => {
        const { name, url, type, event: events } = options;
        const secret = options.secretStdin
          ? await readSecret('Paste the secret and end with Ctrl-D:', terminal)
          : options.secretEnv && readVariable(options.secretEnv, terminal);
        const created = await client.send<WebhookShape>('POST', '/api/mcp/webhooks', {
          name,
          url,
          type,
          events,
          secret,
          digest: options.weeklyDigest ? 'weekly' : undefined,
        });
        print(created, (webhook) => renderCreateWebhook(webhook, secret !== undefined));
      }),
    );
}

function renderCreateWebhook({ id, type, events }: WebhookShape, signed: boolean): string {
  const lines = [`Webhook ${id} gets ${events.join(', ')}.`];
  if (WEBHOOK_KINDS[type].signs && !signed) lines.push(`It is not signed. Sign it: tollbook webhooks secret ${id}`);
  return [...lines, `Try it: tollbook webhooks test ${id}`].join('\n');
}
