import type { Command } from 'commander';
import type { CoverageShape } from '../api/contract-coverage.ts';
import type { ReconciliationShape } from '../api/contract-reconciliation.ts';
import { subcommand, withSession } from './cli.ts';
import type { Cli } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { TollbookError } from '../core/errors.ts';
import { coverageText, shareText } from './coverage-text.ts';
import { reasonsText } from './reconcile-reasons.ts';
import { summaryLines } from './reconcile-summary.ts';
import { plainText, tableWithNotes } from './table.ts';
import { textLines } from './text-lines.ts';
import { usdText as usd } from './usd-text.ts';

interface Options extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly coverage?: boolean;
  readonly step?: string;
}

type Compared = ReconciliationShape['organizations'][number];
type Line = Compared['lines'][number];

/** Lines of an organization that are shown; `--json` has more. */
const LINES_SHOWN = 20;

export function reconcileCommand(program: Command, cli: Cli): void {
  subcommand(program, 'reconcile', 'compare the book with what providers report, and say why they differ')
    .option('--from <date>', 'first UTC day (default: 29 days before today)')
    .option('--to <date>', 'last UTC day (default: today)')
    .option('--coverage', 'only how much of the spend passes the gate, at list price, over any time')
    .option('--step <day|week|month>', 'with --coverage: by which time (default: week)')
    .action(({ from, to, coverage, step, ...options }: Options) =>
      withSession(cli, options, async ({ client, print }) => {
        const query = { startDate: from, endDate: to };
        if (step !== undefined && !coverage)
          throw new TollbookError('invalid', 'Give --step together with --coverage.');
        if (coverage)
          return print(await client.get<CoverageShape>('/api/manage/coverage', { ...query, step }), coverageText);
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
  const { name, provider, start, end, lines, linesLeft } = compared;
  if (start === null) return `${plainText(name)}: none of these days was read yet.`;
  const differing = lines.filter(({ difference }) => difference !== 0);
  const left = linesLeft + Math.max(0, differing.length - LINES_SHOWN);
  return [
    `${plainText(name)} (${provider}), ${start} until before ${end}`,
    ...coverageLines(compared),
    ...summaryLines(compared),
    '',
    reasonsText(compared),
    ...(differing.length === 0 ? [] : ['', tableWithNotes(HEADINGS, differing.slice(0, LINES_SHOWN).map(rowOf))]),
    ...(left > 0 ? [`${left} more lines with --json or fewer days.`] : []),
  ].join('\n');
}

function coverageLines({
  end,
  coverage,
  billedCost,
  listCost,
  bookCost,
  unpricedLines,
  apart,
  corrected,
}: Compared): string[] {
  const { share, passed, total, unclear, until, listed } = coverage;
  return [
    share === null
      ? 'No day is closed yet: what passed the gate is told when the provider changes it no more.'
      : `${shareText(share)} passed the gate: ${usd(passed)} of ${usd(total)}, as charged, before ${until}.`,
    ...(listed.share === null
      ? []
      : [
          `At list price, as --coverage has it: ${shareText(listed.share)}, ${usd(listed.passed)} of ${usd(listed.total)}.`,
        ]),
    ...(until === null || until === end || share === null
      ? []
      : [`Days from ${until} on may still change, and count for no share.`]),
    ...(unclear === 0 ? [] : [`Of ${usd(unclear)} it is not known whether it passed.`]),
    `Bill ${billedCost === null ? 'not told' : usd(billedCost)}, reported use at list price ${usd(listCost)}, book ${usd(bookCost)}.`,
    ...(corrected.calls > 0
      ? [`Reports told what ${corrected.calls} calls without an answer cost: ${usd(corrected.cost)}, in the book now.`]
      : []),
    ...(unpricedLines > 0 ? [`${unpricedLines} lines have no price and are in no sum.`] : []),
    ...(apart.calls > 0 ? [`${apart.calls} more calls went through keys not found here: ${usd(apart.cost)}.`] : []),
  ];
}

const HEADINGS = ['DAY', 'KEY', 'MODEL', 'BOOK', 'PROVIDER', 'DIFFERENCE'];

function rowOf(line: Line): Parameters<typeof tableWithNotes>[1][number] {
  const { day, key, model, bookCost, providerCost, difference, reasons, missing } = line;
  const of = key === null ? '(no key)' : (key.name ?? key.id);
  return {
    cells: [day, of, model ?? '', usd(bookCost), usd(providerCost), usd(difference)],
    notes: () => [
      ...reasons.map(({ reason, amount }) => `${usd(amount)} ${reason.replaceAll('_', ' ')}`),
      ...(missing === null ? [] : textLines(missing)),
    ],
  };
}
