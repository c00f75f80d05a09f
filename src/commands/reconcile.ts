import type { Command } from 'commander';
import type { ReconciliationShape } from '../api/contract-reconciliation.ts';
import { formatAmount } from '../core/limit-fields.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { plainText, tableWithNotes } from './table.ts';
import { textLines } from './text-lines.ts';

interface Options extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
}

type Compared = ReconciliationShape['organizations'][number];
type Line = Compared['lines'][number];

/** Lines of an organization that are shown; `--json` has more. */
const LINES_SHOWN = 20;
const REASON_TEXTS: Readonly<Record<Line['reasons'][number]['reason'], string>> = {
  not_through_the_gate: 'not through the gate',
  uncertain_calls: 'uncertain calls',
  key_unknown: 'key unknown',
  settling: 'settling',
  rounding: 'rounding',
};

export function reconcileCommand(program: Command, cli: Cli): void {
  subcommand(program, 'reconcile', 'compare the book with what providers report, and say why they differ')
    .option('--from <date>', 'first UTC day (default: 30 days before now)')
    .option('--to <date>', 'last UTC day (default: today)')
    .action(({ from, to, ...options }: Options) =>
      withSession(cli, options, async ({ client, print }) => {
        const query = { startDate: from, endDate: to };
        print(await client.get<ReconciliationShape>('/api/manage/reconciliation', query), render);
      }),
    );
}

function render({ organizations }: ReconciliationShape): string {
  if (organizations.length === 0)
    return `There is no admin key yet, so that nothing can be compared:
  tollbook admin-keys add --provider anthropic --name main --key-stdin`;
  return organizations.map(organizationText).join('\n\n');
}

function organizationText(compared: Compared): string {
  const { name, start, end, coverage, lines, linesLeft, unexplained, unpricedLines, apart } = compared;
  if (start === null) return `${plainText(name)}: none of these days was read yet.`;
  const differing = lines.filter(({ difference }) => difference !== 0);
  const left = linesLeft + Math.max(0, differing.length - LINES_SHOWN);
  const share =
    coverage.share === null ? 'No day is closed yet' : `${(coverage.share * 100).toFixed(1)} % passed the gate`;
  return [
    `${plainText(name)}, ${start} until before ${end}`,
    `${share}. Provider ${usd(compared.providerCost)}, book ${usd(compared.bookCost)}, unexplained ${usd(unexplained)}.`,
    ...(unpricedLines > 0 ? [`${unpricedLines} lines have no price and are in no sum.`] : []),
    ...(apart.calls > 0 ? [`${apart.calls} more calls went through keys not found here: ${usd(apart.cost)}.`] : []),
    differing.length === 0 ? 'Nothing differs.' : tableWithNotes(HEADINGS, differing.slice(0, LINES_SHOWN).map(rowOf)),
    ...(left > 0 ? [`${left} more lines with --json or fewer days.`] : []),
  ].join('\n');
}

const HEADINGS = ['DAY', 'KEY', 'MODEL', 'BOOK', 'PROVIDER', 'DIFFERENCE'];

function rowOf({
  day,
  key,
  model,
  bookCost,
  providerCost,
  difference,
  reasons,
  unexplained,
  missing,
}: Line): Parameters<typeof tableWithNotes>[1][number] {
  const of = key === null ? '(no key)' : (key.name ?? key.id);
  return {
    cells: [day, of, model ?? '', usd(bookCost), usd(providerCost), usd(difference)],
    notes: () => [
      ...reasons.map(({ reason, amount }) => `${usd(amount)} ${REASON_TEXTS[reason]}`),
      ...(unexplained ? [`${usd(unexplained)} unexplained`] : []),
      ...(missing === null ? [] : textLines(missing)),
    ],
  };
}

function usd(amount: number | null): string {
  if (amount === null) return '-';
  return amount < 0 ? `-${formatAmount('usd', -amount)}` : formatAmount('usd', amount);
}
