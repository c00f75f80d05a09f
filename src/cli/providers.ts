import { type Command, Option } from 'commander';
import type { ProviderShape, ProviderTest } from '../contract/providers.ts';
import { TollbookError } from '../domain/errors.ts';
import { PROVIDER_KINDS, type ProviderKind } from '../domain/identity/custom-provider.ts';
import { collect, type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { findKeyId } from './key-id.ts';
import { plainText, table } from './table.ts';
import { countNoun } from '../domain/text/counts.ts';
import { exactDollars } from '../domain/text/money.ts';

interface AddProviderOptions extends CommonOptions {
  readonly name?: string;
  readonly priceProvider?: string;
  readonly kind?: ProviderKind;
  readonly project?: string;
  readonly region?: string;
  readonly deployment: readonly string[];
}

export function providersAdd(providers: Command, cli: CliEnvironment): void {
  subcommand(providers, 'add <id> [url]', 'add a provider: OpenAI-compatible, or at Azure, Google Cloud or AWS')
    .option('--name <name>', 'for people (default: the id)')
    .option(
      '--price-provider <id>',
      'provider whose list prices apply (default: only custom prices; at a cloud those of its models)',
    )
    .addOption(new Option('--kind <kind>', 'API that it serves (default: as the URL implies)').choices(PROVIDER_KINDS))
    .option('--project <project>', 'project on Vertex AI; with --region, in place of the URL')
    .option('--region <region>', 'region of Vertex AI or Bedrock, for example us-east5 or global')
    .option('--deployment <name=model>', 'name under which it serves a model; repeatable', collect, [])
    .action((id: string, url: string | undefined, options: AddProviderOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const added = await client.call('POST /api/manage/providers', {
          body: {
            id,
            url,
            name: options.name ?? id,
            priceProvider: options.priceProvider ?? null,
            kind: options.kind ?? null,
            project: options.project,
            region: options.region,
            deployments: readDeployments(options.deployment),
          },
        });
        print(added, ({ proxyUrl }) => `Provider ${id} added: ${proxyUrl}`);
      }),
    );
}

function readDeployments(pairs: readonly string[]): Record<string, string> {
  const deployments = new Map<string, string>();
  for (const pair of pairs) {
    const [, name = '', model = ''] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
    if (name === '' || deployments.has(name))
      throw new TollbookError('invalid', `"${pair}" is not valid; use --deployment name=model, each name once.`);
    deployments.set(name, model);
  }
  return Object.fromEntries(deployments);
}

export function providersList(providers: Command, cli: CliEnvironment): void {
  subcommand(providers, 'list', 'list providers and their base URLs for clients').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, config, print }) => {
      print(await client.call('GET /api/manage/providers'), (all, paper) =>
        renderProviders(all, config.baseUrl, paper),
      );
    }),
  );
}

function renderProviders(providers: readonly ProviderShape[], baseUrl: string, { width }: TextLayout): string {
  const rows = providers.map(({ id, name, url, custom }) => [id, name, url, custom ? 'you' : '']);
  return `${table(['ID', 'NAME', 'URL', 'ADDED BY'], rows, width)}\n\nBase URL for clients: ${baseUrl}/api/proxy/ID`;
}

export function providersRemove(providers: Command, cli: CliEnvironment): void {
  subcommand(providers, 'remove <id>', 'remove a provider that you added').action(
    (id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const removed = await client.call('DELETE /api/manage/providers/{id}', { params: { id } });
        print(removed, () => `Provider ${id} removed.`);
      }),
  );
}

interface TestProviderOptions extends CommonOptions {
  readonly model: string;
  readonly key?: string;
}

export function providersTest(providers: Command, cli: CliEnvironment): void {
  subcommand(providers, 'test <id>', 'send one small call through the gateway; it is recorded and costs what it costs')
    .requiredOption('--model <model>', 'model that the provider serves')
    .option('--key <key>', 'wrapped key of the call (default: the newest one for the provider)')
    .action((id: string, options: TestProviderOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const keyId = options.key && (await findKeyId(client, options.key));
        const body = { model: options.model, ...(keyId && { keyId }) };
        const result = await client.call('POST /api/manage/providers/{id}/test', { params: { id }, body });
        print(result, () => renderTest(id, options.model, result));
        if (result.problem !== null)
          throw new TollbookError('unprocessable', `The test call of ${id} failed: ${plainText(result.problem)}`);
      }),
    );
}

function renderTest(id: string, asked: string, test: ProviderTest): string {
  const { reached, status, model, inputTokens, outputTokens, requestId, callId } = test;
  const isSettled = test.problem === null;
  const tokens =
    inputTokens === null || outputTokens === null
      ? 'not in the answer'
      : `${countNoun(inputTokens, 'input token')}, ${countNoun(outputTokens, 'output token')}`;
  return [
    ['Reached', reached ? 'yes' : 'no'],
    ...(status === null ? [] : [['Status', String(status)]]),
    ...(isSettled
      ? [
          ['Model', model ?? 'not in the answer'],
          ['Usage', tokens],
          ['Cost', describeTestCost(id, model ?? asked, test)],
          ['Request id', requestId ?? 'not in the answer'],
        ]
      : []),
    ...(callId === null ? [] : [['Call', callId]]),
  ]
    .map(([name = '', value = '']) => `${name.padEnd(TEST_NAME_WIDTH)}${plainText(value)}`)
    .join('\n');
}

const TEST_NAME_WIDTH = 12;

function describeTestCost(id: string, model: string, { cost, inputTokens }: ProviderTest): string {
  if (cost !== null) return exactDollars(cost);
  if (inputTokens === null) return 'unknown, because the answer states no usage';
  return `unknown, no price. To set one: tollbook prices set ${id} ${model} --input 1 --output 2`;
}
