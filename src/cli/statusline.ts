import type { Command } from 'commander';
import { loadStatus } from '../sessions/reports/local-usage.ts';
import type { LocalStatus } from '../sessions/reports/status.ts';
import type { LocalTotals } from '../sessions/reports/model-use.ts';
import { VERSION } from '../version.ts';
import type { CliEnvironment } from './cli.ts';
import { plainText } from './table.ts';
import { readTightestLimit, type TightLimit } from './tightest-limit.ts';
import type { CommandTerminal } from './terminal.ts';
import { describeRate, describeRemaining } from '../domain/text/limits.ts';
import { formatCents } from '../domain/text/money.ts';
import { describeTimeLeft } from '../domain/text/durations.ts';

const BETWEEN = ' · ';
const MODEL_CHARS_MAX = 40;
const NANO_PER_USD = 1_000_000_000;

/** Fields of Claude Code's input that are used. */
interface StatusInput {
  readonly sessionId: string | null;
  readonly model: string | null;
  /** nano-USD, by its own account. */
  readonly sessionCost: number | null;
}

/** Claude Code runs it after each answer and shows its line: so it never fails, and is silent rather than loud. */
export function statusline(program: Command, cli: CliEnvironment): void {
  program
    .command('statusline')
    .description("print the cost of session, day and block for Claude Code's status line")
    .option('--no-limits', 'leave out what is left of the limits')
    .action(async ({ limits }: { limits: boolean }) => cli.terminal.out(`${await line(cli, limits)}\n`));
}

async function line({ terminal, clock }: CliEnvironment, withLimits: boolean): Promise<string> {
  const input = await listen(terminal);
  const tightest = withLimits ? readTightestLimit(terminal.env, input.sessionId, clock()) : null;
  const status = await loadStatus(terminal.env, VERSION, {
    sessionId: input.sessionId,
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    now: clock(),
  }).catch((error: unknown) => {
    // Visible only when run by hand; Claude Code shows standard output only.
    terminal.err(`tollbook: ${error instanceof Error ? error.message : String(error)}\n`);
    return null;
  });
  return statusText(input, status, await tightest);
}

async function listen(terminal: CommandTerminal): Promise<StatusInput> {
  if (terminal.inIsTerminal) return readStatusInput(null);
  const text = await terminal.readIn().catch(() => '');
  try {
    return readStatusInput(JSON.parse(text));
  } catch {
    return readStatusInput(null);
  }
}

function readStatusInput(json: unknown): StatusInput {
  const { session_id: sessionId, model, cost } = statusFields(json);
  const { display_name: name } = statusFields(model);
  const { total_cost_usd: usd } = statusFields(cost);
  return {
    sessionId: typeof sessionId === 'string' ? sessionId : null,
    model: typeof name === 'string' ? plainText(name).slice(0, MODEL_CHARS_MAX) : null,
    sessionCost: typeof usd === 'number' && usd >= 0 ? Math.round(usd * NANO_PER_USD) : null,
  };
}

function statusFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/**
 * `Opus 4.8 · $1.23 session · $14.50 today · block $6.10, 2 h 14 min left, $3.05/h · $3.20 of $5.00 a day left`; `+` = and
 * calls without a price
 */
export function statusText(
  { model, sessionCost }: StatusInput,
  status: LocalStatus | null,
  tightest: TightLimit | null = null,
): string {
  const own = status?.session;
  const session = own && own.cost !== null ? own : { cost: sessionCost, unpricedCalls: 0 };
  return [
    model ?? [],
    session.cost === null ? [] : `${shownCost(session)} session`,
    status ? [`${shownCost(status.today)} today`, status.block ? blockText(status.block) : []] : [],
    tightest ? limitText(tightest) : [],
  ]
    .flat(2)
    .join(BETWEEN);
}

function blockText({ left, rate, totals }: NonNullable<LocalStatus['block']>): string {
  const pace = rate?.costPerHour ? `, ${formatCents(rate.costPerHour)}/h` : '';
  return `block ${shownCost(totals)}, ${describeTimeLeft(left)} left${pace}`;
}

/** `$3.20 of $5.00 a day left` */
function limitText(limit: TightLimit): string {
  return `${describeRemaining(limit.unit, limit.remaining)} of ${describeRate(limit)} left`;
}

function shownCost({ cost, unpricedCalls }: Pick<LocalTotals, 'cost' | 'unpricedCalls'>): string {
  return formatCents(cost) + (cost !== null && unpricedCalls > 0 ? '+' : '');
}
