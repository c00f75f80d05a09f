import type { Command } from 'commander';
import type { ContractShape, NewContractShape, RepricePreview } from '../contract/prices.ts';
import { TollbookError } from '../domain/errors.ts';
import { describeContract, describeContractScope } from '../domain/text/contracts.ts';
import { formatDate } from '../domain/text/dates.ts';
import { type CliEnvironment, collect, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { confirmReprice, type RepriceOptions } from './confirm-reprice.ts';
import { findKeyId } from './key-id.ts';
import { pairs } from './prices.ts';
import { tableWithNotes } from './table.ts';
import { readDayOption } from './time-options.ts';

export function contractsList(contracts: Command, cli: CliEnvironment): void {
  subcommand(contracts, 'list', 'list prices by contract').action((options: CommonOptions) =>
    withContext(cli, options, async ({ client, print }) =>
      print(await client.call('GET /api/manage/contracts'), renderContracts),
    ),
  );
}

function renderContracts(contracts: readonly ContractShape[], { width }: TextLayout): string {
  if (contracts.length === 0)
    return `No contracts: calls cost the listed prices. To set one:

  tollbook contracts set --provider openai --discount 24`;
  const rows = contracts.map((contract) => ({
    cells: [
      contract.id,
      contract.multiplier === null ? 'fixed prices' : describeContract(contract),
      contract.from === null ? 'always' : formatDate(contract.from, 'UTC'),
      contract.until === null ? '' : formatDate(contract.until, 'UTC'),
    ],
    notes: () => [
      describeContractScope(contract),
      ...(contract.multiplier === null ? [`${describeContract(contract)} (tokens per million)`] : []),
    ],
  }));
  return tableWithNotes(['ID', 'PRICE', 'FROM', 'UNTIL'], rows, width);
}

interface SetContractOptions extends CommonOptions, RepriceOptions {
  readonly provider?: string;
  readonly model?: string;
  readonly key?: string;
  readonly tag?: string;
  readonly discount?: string;
  readonly multiplier?: string;
  readonly rate?: string[];
  readonly fee?: string[];
  readonly from?: string;
  readonly until?: string;
}

export function contractsSet(contracts: Command, cli: CliEnvironment): void {
  subcommand(contracts, 'set', 'set a price by contract, and price its calls again')
    .option('--provider <id>', 'only calls to a provider')
    .option('--model <pattern>', 'only calls of these models, for example claude-*')
    .option('--key <key>', 'only calls of a wrapped key, by id or name')
    .option('--tag <key=value>', 'only calls with a tag')
    .option('--discount <percent>', 'discount on every listed price, for example 24')
    .option('--multiplier <factor>', 'multiple of every listed price, for example 0.76 or 19/25')
    .option('--rate <class=usd>', 'fixed dollars per million tokens, for example input=2; repeatable', collect)
    .option('--fee <use=usd>', 'fixed fee per use, for example webSearch=0.008; repeatable', collect)
    .option('--from <day>', 'first day, for example monday, 2026-01-31 (default: always)')
    .option('--until <day>', 'first day without it')
    .option('--dry-run', 'change nothing; show which recorded calls get another cost')
    .option('--yes', 'price recorded calls again without asking')
    .action((options: SetContractOptions) =>
      withContext(cli, options, async (context) => {
        const { client, print } = context;
        const { provider, model, key, tag } = options;
        const from = readDayOption(options.from, '--from', context, 'past');
        const until = readDayOption(options.until, '--until', context, 'future');
        const keyId = key === undefined ? undefined : await findKeyId(client, key);
        const scope = { provider, model, keyId, tag, from, until };
        const given = Object.entries(scope).filter(([, value]) => value !== undefined);
        const body: NewContractShape = { ...Object.fromEntries(given), ...readContractPrice(options) };
        const readPreview = (): Promise<RepricePreview> => client.call('POST /api/manage/contracts/preview', { body });
        if (!(await confirmReprice(context, 'contract', options, readPreview))) return;
        print(
          await client.call('POST /api/manage/contracts', { body }),
          (set) =>
            `Contract ${set.id} set: ${describeContract(set)} for ${describeContractScope(set)}. Its calls are priced again.`,
        );
      }),
    );
}

function readContractPrice({ discount, multiplier, rate = [], fee = [] }: SetContractOptions): NewContractShape {
  if (discount !== undefined && multiplier !== undefined)
    throw new TollbookError('invalid', 'Give --discount or --multiplier, not both.');
  const factor = discount === undefined ? multiplier : readDiscount(discount);
  return {
    ...(factor !== undefined && { multiplier: factor }),
    ...(rate.length > 0 && { usdPerMillion: pairs(rate, '--rate') }),
    ...(fee.length > 0 && { fees: pairs(fee, '--fee') }),
  };
}

/** Returns the multiplier of a discount in percent, exact: `24` is `0.76`. */
function readDiscount(discount: string): string {
  const [, whole = '', fraction = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?\s*%?$/.exec(discount.trim()) ?? [];
  const hundredths = Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
  if (whole === '')
    throw new TollbookError('invalid', `Invalid value "${discount}" for --discount; for example: 24`, '--discount');
  if (hundredths > 10_000)
    throw new TollbookError(
      'invalid',
      `--discount ${discount} is more than the price: use at most 100. For prices above the list, use --multiplier, for example 1.2.`,
      '--discount',
    );
  return `0.${String(10_000 - hundredths).padStart(4, '0')}`.replace('0.10000', '1');
}

export function contractsRemove(contracts: Command, cli: CliEnvironment): void {
  subcommand(contracts, 'remove <id>', 'delete a contract as if it had never been').action(
    (id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const removed = await client.call('DELETE /api/manage/contracts/{id}', { params: { id } });
        print(removed, () => `Contract ${id} deleted; its calls are priced again.`);
      }),
  );
}
