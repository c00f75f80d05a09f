import type { Command } from 'commander';
import type { EntryShape } from '../contract/entries.ts';
import { TollbookError } from '../domain/errors.ts';
import { batchSize, isUnsettledBatch } from '../domain/text/batches.ts';
import { formatShortTime } from '../domain/text/dates.ts';
import { formatAmount } from '../domain/text/limits.ts';
import { maximumDollars } from '../domain/text/money.ts';
import { isOpenBatch } from '../domain/usage/call.ts';
import { type CliEnvironment, type CommonOptions, subcommand, type TextLayout, withContext } from './cli.ts';
import type { Client } from './client.ts';
import { tableWithNotes } from './table.ts';
import { textLines } from './text-lines.ts';

interface ResolveLimitOptions extends CommonOptions {
  readonly cost?: string;
  readonly inputTokens?: string;
  readonly outputTokens?: string;
  readonly beyondBound?: boolean;
}

export function limitsResolve(limits: Command, cli: CliEnvironment): void {
  subcommand(limits, 'resolve [call]', 'list uncertain calls, or enter the cost of one for limits and reports')
    .option('--cost <usd>', 'cost in dollars; 0 if the provider did not charge for it')
    .option('--input-tokens <number>', 'input tokens, for token limits (default: what is known, or the bound)')
    .option('--output-tokens <number>', 'output tokens, for token limits (default: as for input tokens)')
    .option('--beyond-bound', 'allow a cost above the hold of the call')
    .action((call: string | undefined, options: ResolveLimitOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const resolving = [options.cost, options.inputTokens, options.outputTokens, options.beyondBound];
        if (call === undefined && resolving.every((option) => option === undefined))
          return print(await readUncertain(client), renderResolveLimit);
        if (call === undefined)
          throw new TollbookError('invalid', 'Name the call: tollbook limits resolve CALL --cost USD');
        if (options.cost === undefined)
          throw new TollbookError('invalid', 'Enter the cost of the call with --cost, in dollars; 0 for nothing.');
        const resolved = await client.call('POST /api/manage/entries/{callId}/resolve', {
          params: { callId: call },
          body: {
            costUsd: options.cost,
            inputTokens: readTokenCount(options.inputTokens),
            outputTokens: readTokenCount(options.outputTokens),
            beyondBound: options.beyondBound,
          },
        });
        print(
          resolved,
          ({ id, cost }) => `Call ${id} set to ${formatAmount('usd', cost ?? 0)}; reports and limits use it now.`,
        );
      }),
    );
}

/** Returns NaN for anything but a number, which the API rejects with the name of the field. */
function readTokenCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return text === '' ? Number.NaN : Number(text);
}

/** Maximum number of uncertain calls in the list: the newest of the last 30 days. */
const SHOWN_MAX = 100;

async function readUncertain(client: Client): Promise<EntryShape[]> {
  const found: EntryShape[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await client.call('GET /api/mcp/entries', {
      query: { uncertain: 'true', limit: SHOWN_MAX, cursor },
    });
    found.push(...page.entries);
    if (page.nextCursor === null || found.length >= SHOWN_MAX) return found.slice(0, SHOWN_MAX);
    cursor = page.nextCursor;
  }
}

function renderResolveLimit(entries: readonly EntryShape[], { width }: TextLayout): string {
  if (entries.length === 0) return 'No uncertain calls in the last 30 days.';
  const rows = entries.map((entry) => {
    const { id, startedAt, model, uncertainUpTo = 0, settleProblem } = entry;
    const upTo = maximumDollars(uncertainUpTo);
    return {
      cells: [id, formatShortTime(startedAt, 'UTC'), describeReason(entry), upTo, model ?? ''],
      notes: () => (settleProblem === undefined ? [] : textLines(settleProblem)),
    };
  });
  return `${tableWithNotes(['CALL', 'AT UTC', 'WHY', 'UP TO', 'MODEL'], rows, width)}

To enter a cost:  npx tollbook limits resolve CALL --cost USD`;
}

function describeReason(entry: EntryShape): string {
  if (isUnsettledBatch(entry)) return `open batch${batchSize(entry)}`;
  return isOpenBatch(entry) ? `batch, ${entry.uncertainReason}` : (entry.uncertainReason ?? '');
}
