import type { Command } from 'commander';
import type { CoverageShape } from '../contract/coverage.ts';
import type { ReconciliationShape } from '../contract/reconciliation.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import { TollbookError } from '../domain/errors.ts';
import { coverageText, shareText } from './coverage-text.ts';
import { REASON_NAMES } from '../domain/reconciliation/reasons.ts';
import { keyText, reasonsText, wrappedText } from './reconcile-reasons.ts';
import { alignLeft, alignRight, plainText, tableWithNotes } from './table.ts';
import { textLines } from './text-lines.ts';
import { readPeriodEnd, readPeriodStart } from './time-options.ts';
import { DAY_MS } from '../domain/time/units.ts';
import { formatDollars, usdColumn } from '../domain/text/money.ts';

type SummaryFigures = ReconciliationShape['organizations'][number];

const NAME_WIDTH = 46;
const AMOUNT_WIDTH = 14;
const STEPS = {
  outsideGateway: 'outside the gateway, as charged',
  throughGateway: 'through the gateway, by the reasons below',
  undetermined: 'days that are not final, unknown keys or prices',
  elsewhere: 'calls of other workspaces or organizations',
} as const;

/** Returns the steps from the figure of the usage summary to the provider's charge. */
export function summaryLines({ summary, provider, providerCost }: SummaryFigures): string[] {
  if (summary === null)
    return textLines(`The usage summary adds all organizations of ${provider}, so it can't be compared with one bill.`);
  const { throughGateway, outsideGateway, total, toBill } = summary;
  const steps = (['outsideGateway', 'throughGateway', 'undetermined', 'elsewhere'] as const).filter(
    (name) => toBill[name] !== 0,
  );
  const has = `The usage summary has ${formatDollars(total)} for these days: ${formatDollars(throughGateway)} through the gateway and ${formatDollars(outsideGateway)} outside it, at list or custom prices.`;
  const same =
    steps.length === 0
      ? ' The provider charges the same.'
      : ` From there to the provider’s ${formatDollars(providerCost)}:`;
  return [
    ...textLines(has + same),
    ...steps.map((name) => {
      const amount = alignRight(formatDollars(toBill[name]), AMOUNT_WIDTH);
      return `  ${alignLeft(STEPS[name], NAME_WIDTH)}${amount}`;
    }),
  ];
}

/** Returns the credits and commitments between the bill and the payment. */
function paymentLines({ payment, providerCost }: SummaryFigures): string[] {
  if (payment === null) return [];
  const rows = payment.lines.map(({ kind, name, amount }) => [`${kind} ${plainText(name)}`, amount] as const);
  return [
    `Credits and commitments change the bill of ${formatDollars(providerCost)}:`,
    ...[...rows, ['to pay', payment.due] as const].map(
      ([name, amount]) => `  ${alignLeft(name, NAME_WIDTH)}${alignRight(formatDollars(amount), AMOUNT_WIDTH)}`,
    ),
  ];
}

interface ReconcileOptions extends CommonOptions {
  readonly from?: string;
  readonly to?: string;
  readonly coverage?: boolean;
  readonly step?: string;
}

type ReconciliationAnswer = ReconciliationShape['organizations'][number];
type ReconciliationLine = ReconciliationAnswer['lines'][number];

/** Lines of an organization that are shown; `--json` has more. */
const LINES_SHOWN = 20;

export function reconcileCommand(program: Command, cli: CliEnvironment): void {
  subcommand(program, 'reconcile', 'compare the ledger with provider reports and explain differences')
    .option('--from <time>', 'first UTC day, for example 7d, monday, 2026-01-31 (default: 29 days before today)')
    .option('--to <time>', 'last UTC day (default: today)')
    .option('--coverage', 'only show the share of spend through the gateway, at list price')
    .option('--step <day|week|month>', 'with --coverage: one row per day, week or month (default: week)')
    .action(({ from, to, coverage, step, ...options }: ReconcileOptions) =>
      withContext(cli, options, async (context) => {
        const { client, print } = context;
        // Providers bill UTC days.
        const query = {
          startDate: readPeriodStart(from, '--from', context, 'UTC'),
          endDate: readPeriodEnd(to, '--to', context, 'UTC'),
        };
        if (step !== undefined && !coverage) throw new TollbookError('invalid', '--step needs --coverage.');
        if (coverage)
          return print(
            await client.call('GET /api/manage/coverage', {
              query: { ...query, step: step as CoverageShape['step'] | undefined },
            }),
            coverageText,
          );
        print(await client.call('GET /api/manage/reconciliation', { query }), renderReconciliation);
      }),
    );
}

function renderReconciliation({ organizations }: ReconciliationShape, paper: TextLayout): string {
  if (organizations.length === 0)
    return `No admin keys yet, so there is nothing to compare with:
  tollbook admin-keys add --provider anthropic --name main --key-stdin`;
  return organizations.map((one) => organizationText(one, paper)).join('\n\n');
}

function organizationText(compared: ReconciliationAnswer, layout: TextLayout): string {
  const { width, isPiped } = layout;
  const { name, provider, start, end, lines, hiddenLines } = compared;
  if (start === null) return `${plainText(name)}: none of these days is synced yet.`;
  const differing = lines.filter(({ difference }) => difference !== 0);
  const shown = isPiped ? differing : differing.slice(0, LINES_SHOWN);
  const left = hiddenLines + differing.length - shown.length;
  const usd = usdColumn(shown.flatMap((line) => [line.ledgerCost, line.providerCost, line.difference]));
  return [
    `${plainText(name)} (${provider}), ${daysText(start, end)}`,
    ...coverageLines(compared),
    ...summaryLines(compared),
    ...paymentLines(compared),
    '',
    reasonsText(compared, layout),
    ...(differing.length === 0
      ? []
      : [
          '',
          tableWithNotes(
            HEADINGS,
            shown.map((line) => reconciliationRow(line, usd)),
            width,
          ),
        ]),
    ...(left > 0 ? [`${left} more lines; use --json or fewer days.`] : []),
  ].join('\n');
}

function coverageLines({
  end,
  coverage,
  billedCost,
  listCost,
  ledgerCost,
  unpricedLines,
  unmatched,
  corrected,
}: ReconciliationAnswer): string[] {
  const { share, throughGateway, total, unknown, until, atListPrice } = coverage;
  return [
    ...textLines(
      share === null
        ? 'No final day yet: the share is shown once the figures of the provider are final.'
        : `${shareText(share)} went through the gateway: ${formatDollars(throughGateway)} of ${formatDollars(total)}, as charged, before ${until}.`,
    ),
    ...(atListPrice.share === null
      ? []
      : [
          `At list price, as in --coverage: ${shareText(atListPrice.share)}, ${formatDollars(atListPrice.throughGateway)} of ${formatDollars(atListPrice.total)}.`,
        ]),
    ...(until === null || until === end || share === null
      ? []
      : [`Days from ${until} on may still change and are not included.`]),
    ...(unknown === 0 ? [] : [`Of ${formatDollars(unknown)} it is unknown.`]),
    `Bill ${billedCost === null ? 'unknown' : formatDollars(billedCost)}, reported usage at list price ${formatDollars(listCost)}, ledger ${formatDollars(ledgerCost)}.`,
    ...(corrected.calls > 0
      ? [
          `Reports corrected ${corrected.calls} calls with a lost response: ${formatDollars(corrected.cost)}, in the ledger now.`,
        ]
      : []),
    ...(unpricedLines > 0 ? [`${unpricedLines} lines have no price; they are not in any total.`] : []),
    ...(unmatched.calls > 0
      ? [`${unmatched.calls} more calls used keys that were not found: ${formatDollars(unmatched.cost)}.`]
      : []),
  ];
}

const HEADINGS = ['DAY', 'KEY', 'MODEL', 'LEDGER', 'PROVIDER', 'DIFFERENCE'];

/** The first day and the last. */
function daysText(start: string, end: string | null): string {
  const last = new Date(Date.parse(end ?? start) - DAY_MS).toISOString().slice(0, 10);
  return last > start ? `${start} to ${last}` : start;
}

function reconciliationRow(
  line: ReconciliationLine,
  usd: (amount: number | null) => string,
): Parameters<typeof tableWithNotes>[1][number] {
  const { day, key, model, ledgerCost, providerCost, difference, reasons, missing } = line;
  return {
    cells: [day, keyText(key), model ?? '', usd(ledgerCost), usd(providerCost), usd(difference)],
    notes: () => [
      ...reasons.map(({ reason, amount }) => `${usd(amount)} ${REASON_NAMES[reason]}`),
      ...(missing === null ? [] : textLines(missing)),
      ...[wrappedText(key)].filter((text) => text !== ''),
    ],
  };
}
