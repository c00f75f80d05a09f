import type { Command } from 'commander';
import type {
  CustomPriceShape,
  PriceListCoverage,
  PriceShape,
  PriceUpdateShape,
  RepricePreview,
  UserPriceShape,
} from '../contract/prices.ts';
import {
  collect,
  type CliEnvironment,
  type CommandContext,
  type CommonOptions,
  subcommand,
  type TextLayout,
  withContext,
} from './cli.ts';
import type { Client } from './client.ts';
import { confirmReprice, type RepriceOptions } from './confirm-reprice.ts';
import { table, tableWithNotes } from './table.ts';
import { textLines } from './text-lines.ts';
import { hourlyPrice } from './hourly-price.ts';
import { readDayOption, readPeriodStart } from './time-options.ts';
import { formatDate } from '../domain/text/dates.ts';
import { countNoun, formatCount } from '../domain/text/counts.ts';
import { describeMeters } from '../domain/text/metered-prices.ts';
import { describeFigure, describePriceChange } from '../domain/text/price-changes.ts';
import { formatPart } from '../domain/text/percent.ts';
import { WITHDRAWN_REASONS, type WithdrawnReason } from '../domain/pricing/price.ts';
import { HOUR_MS } from '../domain/time/units.ts';
import { TollbookError } from '../domain/errors.ts';

interface ListPriceOptions extends CommonOptions {
  readonly provider?: string;
  readonly own?: boolean;
  readonly sources?: boolean;
}

export function pricesList(prices: Command, cli: CliEnvironment): void {
  subcommand(prices, 'list', 'list current prices')
    .option('--provider <id>', 'only this provider')
    .option('--own', 'only custom prices, with their ids')
    .option('--sources', 'show the source of each price')
    .action((options: ListPriceOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        if (options.own) print(await client.call('GET /api/manage/prices'), renderOwn);
        else {
          const listed = await client.call('GET /api/mcp/pricing', { query: { provider: options.provider } });
          if (listed.length === 0 && options.provider !== undefined) await requireProvider(options.provider, client);
          print(listed, (list, layout) => renderPrices(list, options.sources ?? false, layout));
        }
      }),
    );
}

/** Providers that begin with as many letters of a misspelled one are suggested. */
const SAME_LETTERS = 3;

/** Throws `not_found` for a provider that does not exist, because it is probably misspelled. */
async function requireProvider(id: string, client: Client): Promise<void> {
  const providers = await client.call('GET /api/manage/providers');
  if (providers.some((one) => one.id === id)) return;
  const ids = providers.map((one) => one.id);
  const near = ids.filter((known) => known.slice(0, SAME_LETTERS) === id.toLowerCase().slice(0, SAME_LETTERS));
  const advice = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'To list providers: tollbook providers list';
  throw new TollbookError('not_found', `No provider "${id.slice(0, 40)}". ${advice}`, '--provider');
}

function renderPrices(prices: readonly PriceShape[], showsSources: boolean, { width }: TextLayout): string {
  if (prices.length === 0)
    return 'No matching prices. To set one: tollbook prices set PROVIDER MODEL --input 1 --output 2';
  const rows = prices.map((price) => ({
    cells: [price.provider, price.model, ...rates(price)],
    notes: () => [...describeMeters(price.fees), ...(showsSources ? textLines(price.source) : [])],
  }));
  const shown = tableWithNotes(['PROVIDER', 'MODEL', 'INPUT', 'OUTPUT'], rows, width);
  return `${shown}\n\nDollars per million tokens; use --sources for sources, --json for all fields.`;
}

function renderOwn(prices: readonly UserPriceShape[], { width }: TextLayout): string {
  if (prices.length === 0) return 'No custom prices in this workspace.';
  return table(
    ['ID', 'PROVIDER', 'MODEL', 'INPUT', 'OUTPUT'],
    prices.map((price) => [price.id, price.provider, price.model, ...rates(price)]),
    width,
  );
}

/** Returns the rates of a price. Tokens of a model that is billed by other units have none. */
function rates({ usdPerMillion, fees }: Pick<PriceShape, 'usdPerMillion' | 'fees'>): string[] {
  const isMetered = describeMeters(fees).length > 0;
  return [usdPerMillion.input, usdPerMillion.output].map((usd) =>
    usd === undefined || (usd === 0 && isMetered) ? '-' : String(usd),
  );
}

interface SetPriceOptions extends CommonOptions, RepriceOptions {
  readonly input?: string;
  readonly output?: string;
  readonly rate?: string[];
  readonly fee?: string[];
  readonly tier?: string[];
  readonly from?: string;
  readonly until?: string;
  readonly stdin?: boolean;
  readonly perHour?: string;
  readonly since?: string;
}

export function pricesSet(prices: Command, cli: CliEnvironment): void {
  subcommand(prices, 'set [provider] [model]', 'set a custom price; it overrides price lists')
    .option('--input <usd>', 'dollars per million uncached input tokens')
    .option('--output <usd>', 'dollars per million output tokens')
    .option('--rate <class=usd>', 'price of another token class, for example cacheRead=0.3; repeatable', collect)
    .option('--fee <use=usd>', 'fee per use, for example webSearch=0.01; repeatable', collect)
    .option('--tier <name=multiple>', 'price of a service tier, for example batch=0.5; repeatable', collect)
    .option('--from <day>', 'first day, for example monday, 2026-01-31 (default: always)')
    .option('--until <day>', 'first day without it')
    .option('--per-hour <usd>', 'dollars per hour of your own server, spread over the tokens since --since')
    .option('--since <time>', 'with --per-hour: start of the recorded use, for example 30d (default: 7d)')
    .option('--stdin', 'read the price as JSON from standard input')
    .option('--dry-run', 'change nothing; show which recorded calls get another cost')
    .option('--yes', 'price recorded calls again without asking')
    .action((provider: string | undefined, model: string | undefined, options: SetPriceOptions) =>
      withContext(cli, options, async (context) => {
        const { client, terminal, print } = context;
        const days = {
          from: readDayOption(options.from, '--from', context, 'past'),
          until: readDayOption(options.until, '--until', context, 'future'),
        };
        const body = options.stdin
          ? parse(await terminal.readIn())
          : options.perHour === undefined
            ? readPrice(provider, model, options, days)
            : await readHourlyPrice(provider, model, options, days, context);
        const readPreview = (): Promise<RepricePreview> => client.call('POST /api/manage/prices/preview', { body });
        if (!(await confirmReprice(context, 'price', options, readPreview))) return;
        print(await client.call('POST /api/manage/prices', { body }), describeSetPrice);
      }),
    );
}

function describeSetPrice({ id, model, version, from, tierMultipliers, ...price }: UserPriceShape): string {
  const [input, output] = rates(price);
  const tiers = Object.entries(tierMultipliers).map(([tier, multiple]) => `, ${tier} ${multiple} times`);
  const since = from === null ? '' : ` since ${formatDate(from, 'UTC')}`;
  return `Price ${id} of ${model} set (${version}): input ${input}, output ${output} per million tokens${tiers.join('')}. Recorded calls${since} are priced again.`;
}

function parse(text: string): CustomPriceShape {
  try {
    return JSON.parse(text) as CustomPriceShape;
  } catch {
    throw new TollbookError('invalid', 'Standard input is not valid JSON.');
  }
}

interface PriceDays {
  readonly from: string | undefined;
  readonly until: string | undefined;
}

function readPrice(
  provider: string | undefined,
  model: string | undefined,
  { input, output, rate = [], fee = [], tier = [] }: SetPriceOptions,
  { from, until }: PriceDays,
): CustomPriceShape {
  if (provider === undefined || model === undefined)
    throw new TollbookError('invalid', 'Name a provider and a model, or give the price as JSON with --stdin.');
  const usdPerMillion = { ...(input && { input }), ...(output && { output }), ...pairs(rate, '--rate') };
  return {
    provider,
    model,
    usdPerMillion,
    ...(fee.length > 0 && { fees: pairs(fee, '--fee') }),
    ...(tier.length > 0 && { tierMultipliers: pairs(tier, '--tier') }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
  };
}

const DEFAULT_SINCE = '7d';

/** Reads a price that applies from the start of the recorded use on, unless another day is given. */
async function readHourlyPrice(
  provider: string | undefined,
  model: string | undefined,
  { perHour = '', since = DEFAULT_SINCE, input, output, rate }: SetPriceOptions,
  { from, until }: PriceDays,
  context: CommandContext,
): Promise<CustomPriceShape> {
  if (provider === undefined || model === undefined || input !== undefined || output !== undefined || rate)
    throw new TollbookError('invalid', '--per-hour needs a provider and a model, and no other price.', '--per-hour');
  const startDate = readPeriodStart(since, '--since', context);
  const query = { provider, model, startDate, step: 'day' } as const;
  const { points } = await context.client.call('GET /api/mcp/usage/series', { query });
  const hours = (context.clock() - Date.parse(startDate)) / HOUR_MS;
  const price = hourlyPrice({ provider, model, points, hours }, perHour);
  return { ...price, from: from ?? startDate, ...(until !== undefined && { until }) };
}

/** Reads options such as `input=2`. */
export function pairs(texts: readonly string[], option: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name, usd, ...rest] = text.split('=');
      if (!name || !usd || rest.length > 0)
        throw new TollbookError('invalid', `Invalid value "${text}" for ${option}; for example: name=0.5`);
      return [name, usd];
    }),
  );
}

export function pricesRemove(prices: Command, cli: CliEnvironment): void {
  subcommand(prices, 'remove <id>', 'delete a custom price').action((id: string, options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) => {
      const removed = await client.call('DELETE /api/manage/prices/{id}', { params: { id } });
      print(
        removed,
        () => `Price ${id} deleted; recorded calls keep their price. To correct them, set the right price.`,
      );
    }),
  );
}

interface RefreshOptions extends CommonOptions {
  readonly apply?: boolean;
  readonly acceptLarge?: boolean;
}

export function pricesRefresh(prices: Command, cli: CliEnvironment): void {
  subcommand(prices, 'refresh', 'fetch a price list from SVC_PRICES_URL and show what it changes')
    .option('--apply', 'apply the list')
    .option('--accept-large', 'apply large changes, too: prices that end, become 0, double or halve')
    .action((options: RefreshOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const update = await client.call('POST /api/manage/prices/refresh');
        if (!options.apply || update.total === 0) return print(update, renderUpdate);
        const body = { id: update.id, acceptLarge: options.acceptLarge ?? false };
        const applied = await client.call('POST /api/manage/prices/update', { body });
        print(
          applied,
          (_, layout) => `${renderPriceChanges(update, layout)}\n\nApplied. Calls without a price get it now.`,
        );
      }),
    );
}

function renderUpdate(update: PriceUpdateShape, layout: TextLayout): string {
  if (update.total === 0) return `${update.source} changes no price.`;
  const large = update.large === 0 ? '' : ' --accept-large';
  return `${renderPriceChanges(update, layout)}\n\nNothing is applied yet. To apply: tollbook prices refresh --apply${large}`;
}

/** Changes are listed in full by `--json`. */
const CHANGES_SHOWN_MAX = 100;

function renderPriceChanges({ changes, total, large, source }: PriceUpdateShape, { width }: TextLayout): string {
  const rows = changes.slice(0, CHANGES_SHOWN_MAX).map((change) => ({
    cells: [change.provider, change.model, describePriceChange(change)],
    notes: () => change.figures.map(describeFigure),
  }));
  const more = total > rows.length ? `\n${formatCount(total - rows.length)} more; use --json for all.` : '';
  const sum = `${countNoun(total, 'change')} from ${source}, ${formatCount(large)} of them large.`;
  return `${tableWithNotes(['PROVIDER', 'MODEL', 'CHANGE'], rows, width)}${more}\n\n${sum}`;
}

export function pricesCoverage(prices: Command, cli: CliEnvironment): void {
  subcommand(prices, 'coverage', 'count the listed models of each provider that have a price')
    .option('--models', 'name the models without a price')
    .action((options: CommonOptions & { readonly models?: boolean }) =>
      withContext(cli, options, async ({ client, print }) =>
        print(await client.call('GET /api/manage/prices/lists'), (lists, layout) =>
          renderCoverage(lists, options.models ?? false, layout),
        ),
      ),
    );
}

function renderCoverage(lists: readonly PriceListCoverage[], namesModels: boolean, { width }: TextLayout): string {
  const rows = lists.map((list) => ({
    cells: [
      list.provider,
      formatCount(list.models),
      formatCount(list.priced),
      formatPart(list.priced, list.models),
      formatCount(list.apart.length),
    ],
    notes: () => (namesModels ? listModelsWithoutPrice(list) : []),
  }));
  const shown = tableWithNotes(['PROVIDER', 'MODELS', 'PRICED', 'SHARE', 'APART'], rows, width);
  const apart = textLines(
    'Apart are models that are not sold at a public price per unit by which the gateway could charge. They are not counted.',
  );
  return [shown, '', ...apart, ...(namesModels ? [] : ['To name them, and models without a price: --models'])].join(
    '\n',
  );
}

const REASON_NAMES: Readonly<Record<WithdrawnReason, string>> = {
  retired: 'no longer sold',
  no_route: 'only at paths that the gateway refuses',
  no_public_price: 'a charge without a public price',
  uncounted: 'a charge that responses do not count',
};

/** Lists models without a price and why, then the models that are not counted, by reason. */
function listModelsWithoutPrice({ unpriced, apart }: PriceListCoverage): string[] {
  const missing = unpriced.map(
    ({ model, source }) => `${model}: ${source ?? 'no price known, or the last one has ended'}`,
  );
  const reasons = WITHDRAWN_REASONS.flatMap((reason) => {
    const models = apart.filter((each) => each.reason === reason).map(({ model }) => model);
    return models.length === 0 ? [] : [`Apart, ${REASON_NAMES[reason]}: ${models.join(', ')}`];
  });
  return [...missing, ...reasons].flatMap((text) => textLines(text));
}
