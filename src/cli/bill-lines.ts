import type { Command } from 'commander';
import type { BillLineShape } from '../contract/bill-lines.ts';
import type { BillLineKind } from '../domain/billing/bill-line.ts';
import { TollbookError } from '../domain/errors.ts';
import { formatDate } from '../domain/text/dates.ts';
import { formatDollars } from '../domain/text/money.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { tableWithNotes } from './table.ts';
import { readDayOption } from './time-options.ts';

export function billLinesList(lines: Command, cli: CliEnvironment): void {
  subcommand(lines, 'list', 'list credits and commitments, with what is used and left').action(
    (options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) =>
        print(await client.call('GET /api/manage/bill-lines'), renderBillLines),
      ),
  );
}

function renderBillLines(lines: readonly BillLineShape[], { width }: TextLayout): string {
  if (lines.length === 0)
    return 'No credits or commitments. To add one: tollbook bill-lines add --provider openai --credit 5000';
  const rows = lines.map((line) => ({
    cells: [
      line.id,
      line.kind,
      formatDollars(line.amount),
      formatDollars(line.used),
      formatDollars(line.left),
      line.until === null ? 'no end' : formatDate(line.until, 'UTC'),
    ],
    notes: () => [`${line.name}, ${line.provider}, from ${formatDate(line.from, 'UTC')}`],
  }));
  return tableWithNotes(['ID', 'KIND', 'AMOUNT', 'USED', 'LEFT', 'UNTIL'], rows, width);
}

interface AddBillLineOptions extends CommonOptions {
  readonly provider: string;
  readonly credit?: string;
  readonly commitment?: string;
  readonly name?: string;
  readonly from?: string;
  readonly until?: string;
}

export function billLinesAdd(lines: Command, cli: CliEnvironment): void {
  subcommand(lines, 'add', 'add a credit or a minimum commitment')
    .requiredOption('--provider <id>', 'provider that bills')
    .option('--credit <usd>', 'dollars that pay for costs until they are used up')
    .option('--commitment <usd>', 'minimum dollars for the whole period')
    .option('--name <name>', 'display name (default: the kind)')
    .option('--from <day>', 'first UTC day, for example monday, 2026-01-31 (default: today)')
    .option('--until <day>', 'first UTC day without it; a commitment needs one')
    .action((options: AddBillLineOptions) =>
      withContext(cli, options, async (context) => {
        const { client, print } = context;
        const { kind, amount } = readKind(options);
        const from = readDayOption(options.from, '--from', context, 'past');
        const until = readDayOption(options.until, '--until', context, 'future');
        const body = { provider: options.provider, kind, name: options.name ?? kind, amount, from, until };
        print(
          await client.call('POST /api/manage/bill-lines', { body }),
          (line) =>
            `Added ${line.id}: ${line.kind} of ${formatDollars(line.amount)} at ${line.provider}, ${formatDollars(line.used)} used.`,
        );
      }),
    );
}

function readKind({ credit, commitment }: AddBillLineOptions): { kind: BillLineKind; amount: string } {
  if (credit !== undefined && commitment === undefined) return { kind: 'credit', amount: credit };
  if (commitment !== undefined && credit === undefined) return { kind: 'commitment', amount: commitment };
  throw new TollbookError('invalid', 'Give --credit or --commitment, for example --credit 5000.');
}

export function billLinesRemove(lines: Command, cli: CliEnvironment): void {
  subcommand(lines, 'remove <id>', 'delete a credit or a commitment as if it had never been').action(
    (id: string, options: CommonOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const removed = await client.call('DELETE /api/manage/bill-lines/{id}', { params: { id } });
        print(removed, () => `${id} deleted.`);
      }),
  );
}
