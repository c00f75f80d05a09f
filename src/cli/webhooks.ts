import { type Command, Option } from 'commander';
import type { DeliveriesPage, DigestShape, WebhookShape } from '../contract/webhooks.ts';
import { DIGESTS, type DigestSchedule, EVENT_NAMES } from '../domain/alerts/webhook.ts';
import { WEBHOOK_KINDS, WEBHOOK_TYPES } from '../domain/alerts/webhook-kinds.ts';
import { collect, type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { readSecret, readVariable } from './keys.ts';
import { plainText, tableWithNotes } from './table.ts';
import { describeWebhook } from './describe-webhook.ts';
import { TollbookError } from '../domain/errors.ts';
import { textLines } from './text-lines.ts';
import { readPeriodEnd, readPeriodStart } from './time-options.ts';
import { describeDelivery } from '../domain/text/deliveries.ts';
import { formatShortTime } from '../domain/text/dates.ts';

interface CreateWebhookOptions extends CommonOptions {
  readonly name: string;
  readonly url: string;
  readonly type: string;
  readonly event: string[];
  readonly secretStdin?: boolean;
  readonly secretEnv?: string;
  readonly weeklyDigest?: boolean;
}

export function webhooksCreate(webhooks: Command, cli: CliEnvironment): void {
  subcommand(webhooks, 'create', 'create a webhook')
    .requiredOption('--name <name>', 'name shown in lists')
    .requiredOption('--url <url>', 'URL that receives alerts')
    .requiredOption('--type <type>', WEBHOOK_TYPES.join(', ').toLowerCase())
    .requiredOption('--event <event>', `${EVENT_NAMES.join(', ').toLowerCase()}; repeatable`, collect)
    .option('--secret-stdin', 'read the signing secret from standard input')
    .option('--secret-env <name>', 'read the signing secret from this environment variable')
    .option('--weekly-digest', 'also send a summary every Monday')
    .action((options: CreateWebhookOptions) =>
      withContext(cli, options, async ({ client, terminal, print }) => {
        const { name, url, type, event: events } = options;
        const secret = options.secretStdin
          ? await readSecret('Paste the secret and end with Ctrl-D:', terminal)
          : options.secretEnv && readVariable(options.secretEnv, terminal);
        const created = await client.call('POST /api/mcp/webhooks', {
          body: { name, url, type, events, secret, digest: options.weeklyDigest ? 'weekly' : undefined },
        });
        print(created, (webhook) => renderCreateWebhook(webhook, secret !== undefined));
      }),
    );
}

function renderCreateWebhook({ id, type, events }: WebhookShape, signed: boolean): string {
  const lines = [`Webhook ${id} created for ${events.join(', ')}.`];
  if (WEBHOOK_KINDS[type].signs && !signed) lines.push(`Not signed. To sign: tollbook webhooks secret ${id}`);
  return [...lines, `Send a test: tollbook webhooks test ${id}`].join('\n');
}

export function webhooksList(webhooks: Command, cli: CliEnvironment): void {
  subcommand(webhooks, 'list', 'list webhooks').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.call('GET /api/mcp/webhooks'), renderWebhooks);
    }),
  );
}

function renderWebhooks(webhooks: readonly WebhookShape[], { width }: TextLayout): string {
  if (webhooks.length === 0) return 'No webhooks yet. To create one: tollbook webhooks create';
  return tableWithNotes(
    ['ID', 'NAME', 'TYPE', 'STATE'],
    webhooks.map(({ id, name, type, enabled, events }) => ({
      cells: [id, name, type, enabled ? 'on' : 'off'],
      notes: () => events,
    })),
    width,
  );
}

export function webhooksShow(webhooks: Command, cli: CliEnvironment): void {
  subcommand(webhooks, 'show', 'show a webhook and its state')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        print(await client.call('GET /api/mcp/webhooks/{id}', { params: { id } }), describeWebhook);
      }),
    );
}

interface UpdateWebhookOptions extends CommonOptions {
  readonly name?: string;
  readonly url?: string;
  readonly event?: string[];
  readonly enable?: boolean;
  readonly disable?: boolean;
  readonly digest?: DigestSchedule;
}

export function webhooksUpdate(webhooks: Command, cli: CliEnvironment): void {
  subcommand(webhooks, 'update', 'change a webhook, enable or disable it')
    .argument('<id>')
    .option('--name <name>', 'name shown in lists')
    .option('--url <url>', 'URL that receives alerts')
    .option('--event <event>', 'replaces the events; repeatable', collect)
    .addOption(new Option('--digest <digest>', 'weekly or off: a summary every Monday').choices(DIGESTS))
    .option('--enable', 'enable it and send waiting deliveries')
    .addOption(new Option('--disable', 'disable it').conflicts('enable'))
    .action((id: string, options: UpdateWebhookOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { name, url, event: events, enable, disable, digest } = options;
        const enabled = enable ? true : disable ? false : undefined;
        const request = { params: { id }, body: { name, url, events, enabled, digest } };
        print(await client.call('PATCH /api/mcp/webhooks/{id}', request), describeWebhook);
      }),
    );
}

export function webhooksRemove(webhooks: Command, cli: CliEnvironment): void {
  subcommand(webhooks, 'remove', 'delete a webhook with its deliveries')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const deleted = await client.call('DELETE /api/mcp/webhooks/{id}', { params: { id } });
        print(deleted, ({ removed }) => `Webhook ${removed} deleted.`);
      }),
    );
}

interface SecretWebhookOptions extends CommonOptions {
  readonly secretStdin?: boolean;
  readonly secretEnv?: string;
  readonly dropOld?: boolean;
}

export function webhooksSecret(webhooks: Command, cli: CliEnvironment): void {
  subcommand(webhooks, 'secret', 'set a new signing secret (default: a generated one)')
    .argument('<id>')
    .option('--secret-stdin', 'read it from standard input')
    .option('--secret-env <name>', 'read it from this environment variable')
    .option('--drop-old', 'revoke the old secret immediately instead of in 24 hours')
    .action((id: string, options: SecretWebhookOptions) =>
      withContext(cli, options, async ({ client, terminal, print }) => {
        const secret = options.secretStdin
          ? await readSecret('Paste the secret and end with Ctrl-D:', terminal)
          : options.secretEnv && readVariable(options.secretEnv, terminal);
        const request = { params: { id }, body: { secret, dropOld: options.dropOld ?? false } };
        print(await client.call('POST /api/mcp/webhooks/{id}/secret', request), (answer) =>
          [
            ...(secret ? ['Secret set.'] : [answer.secret, 'Copy it now; it is not shown again.']),
            ...(answer.oldSecretUntil === null ? [] : [`The old secret also signs until ${answer.oldSecretUntil}.`]),
          ].join('\n'),
        );
      }),
    );
}

export function webhooksTest(webhooks: Command, cli: CliEnvironment): void {
  subcommand(webhooks, 'test', 'send a test and show the result')
    .argument('<id>')
    .action((id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const tried = await client.call('POST /api/mcp/webhooks/{id}/test', { params: { id } });
        const failed = tried.state === 'failed';
        if (options.json || !failed) print(tried, describeDelivery);
        if (failed) throw new TollbookError('unprocessable', describeDelivery(tried));
      }),
    );
}

export function webhooksDigest(webhooks: Command, cli: CliEnvironment): void {
  subcommand(webhooks, 'digest', 'show the digest of the last week; sends nothing').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      print(await client.call('GET /api/mcp/digest'), renderDigestWebhook);
    }),
  );
}

function renderDigestWebhook({ title, message, facts }: DigestShape): string {
  const lines = facts.flatMap(({ name, value }) => textLines(`${name}: ${value}`));
  return [title, ...textLines(message), '', ...lines].map(plainText).join('\n');
}

interface DeliveriesWebhookOptions extends CommonOptions {
  readonly limit: string;
  readonly before?: string;
}

export function webhooksDeliveries(webhooks: Command, cli: CliEnvironment): void {
  subcommand(webhooks, 'deliveries', 'list deliveries of a webhook, newest first')
    .argument('<id>')
    .option('--limit <number>', 'from 1 to 100', '20')
    .option('--before <id>', 'older than the delivery with this id')
    .action((id: string, options: DeliveriesWebhookOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const { limit, before } = options;
        const request = { params: { id }, query: { limit, cursor: before } };
        print(await client.call('GET /api/mcp/webhooks/{id}/deliveries', request), renderDeliveriesWebhook);
      }),
    );
}

function renderDeliveriesWebhook({ deliveries, nextCursor }: DeliveriesPage, { width }: TextLayout): string {
  if (deliveries.length === 0) return 'No deliveries yet. Send a test: tollbook webhooks test ID';
  const rows = deliveries.map(({ id, kind, state, attempts, createdAt, nextAttemptAt }) => {
    const last = attempts.at(-1);
    return {
      cells: [id, minute(createdAt), kind, state, String(attempts.length), last?.status?.toString() ?? ''],
      notes: () => [
        ...(last?.error ? textLines(last.error) : []),
        ...(last && nextAttemptAt !== null ? [`Next try: ${minute(nextAttemptAt)} UTC`] : []),
      ],
    };
  });
  const shown = tableWithNotes(['ID', 'QUEUED UTC', 'KIND', 'STATE', 'TRIES', 'LAST'], rows, width);
  return nextCursor === null ? shown : `${shown}\nOlder deliveries: --before ${nextCursor}`;
}

function minute(time: string): string {
  return formatShortTime(time, 'UTC');
}

interface ReplayWebhookOptions extends CommonOptions {
  readonly delivery?: string;
  readonly from?: string;
  readonly to?: string;
  readonly all?: boolean;
}

export function webhooksReplay(webhooks: Command, cli: CliEnvironment): void {
  subcommand(webhooks, 'replay', 'send deliveries again: one, or the failed ones of a period')
    .argument('<id>')
    .option('--delivery <id>', 'this delivery')
    .option('--from <time>', 'queued at or after this time, for example 2h, yesterday, 2026-11-21')
    .option('--to <time>', 'queued before this time (default: now)')
    .option('--all', 'also send delivered ones again')
    .action((id: string, options: ReplayWebhookOptions) =>
      withContext(cli, options, async (context) => {
        const { client, print } = context;
        const { delivery, from, to, all = false } = options;
        if (delivery !== undefined) {
          const again = await client.call('POST /api/mcp/webhooks/{id}/deliveries/{delivery}/replay', {
            params: { id, delivery },
          });
          return print(again, () => `Queued again as ${again.id}.`);
        }
        const startDate = readPeriodStart(from, '--from', context);
        if (startDate === undefined) throw new TollbookError('invalid', 'Use --delivery ID or --from TIME.');
        const body = { startDate, endDate: readPeriodEnd(to, '--to', context), all };
        print(await client.call('POST /api/mcp/webhooks/{id}/replay', { params: { id }, body }), ({ deliveries }) =>
          deliveries === 0 ? 'Nothing to send again.' : `Queued again: ${deliveries}.`,
        );
      }),
    );
}
