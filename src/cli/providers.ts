import { type Command, Option } from 'commander';
import type { ProviderShape } from '../contract/providers.ts';
import { TollbookError } from '../domain/errors.ts';
import { PROVIDER_KINDS, type ProviderKind } from '../domain/identity/custom-provider.ts';
import { collect, type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { table } from './table.ts';

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
