import type { Command } from 'commander';
import { loadStatus } from '../sessions/reports/local-usage.ts';
import type { LocalStatus } from '../sessions/reports/status.ts';
import type { LocalTotals } from '../sessions/reports/model-use.ts';
import { VERSION } from '../version.ts';
import type { CommandLine } from './cli.ts';
import { plainText } from './table.ts';
import type { CommandTerminal } from './terminal.ts';
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
export function statusline(program: Command, cli: CommandLine): void {
  program
    .command('statusline')
    .description("print the cost of session, day and block for Claude Code's status line")
    .action(async () => cli.terminal.out(`${await line(cli)}\n`));
}

async function line({ terminal, clock }: CommandLine): Promise<string> {
  const input = await listen(terminal);
  const status = await loadStatus(terminal.env, VERSION, {
    sessionId: input.sessionId,
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    now: clock(),
  }).catch((error: unknown) => {
    // Visible only when run by hand; Claude Code shows standard output only.
    terminal.err(`tollbook: ${error instanceof Error ? error.message : String(error)}\n`);
    return null;
  });
  return statusText(input, status);
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

/** `Opus 4.8 · $1.23 session · $14.50 today · block $6.10, 2h 14m left, $3.05/h`; `+` = and calls without a price */
export function statusText({ model, sessionCost }: StatusInput, status: LocalStatus | null): string {
  const own = status?.session;
  const session = own && own.cost !== null ? own : { cost: sessionCost, unpricedCalls: 0 };
  return [
    model ?? [],
    session.cost === null ? [] : `${shownCost(session)} session`,
    status ? [`${shownCost(status.today)} today`, status.block ? blockText(status.block) : []] : [],
  ]
    .flat(2)
    .join(BETWEEN);
}

function blockText({ left, rate, totals }: NonNullable<LocalStatus['block']>): string {
  const pace = rate?.costPerHour ? `, ${formatCents(rate.costPerHour)}/h` : '';
  return `block ${shownCost(totals)}, ${describeTimeLeft(left)} left${pace}`;
}

function shownCost({ cost, unpricedCalls }: Pick<LocalTotals, 'cost' | 'unpricedCalls'>): string {
  return formatCents(cost) + (cost !== null && unpricedCalls > 0 ? '+' : '');
}
