import type { Command } from 'commander';
import type { EntriesPage, EntryShape } from '../contract/usage.ts';
import { TollbookError } from '../domain/errors.ts';
import { formatAmount } from '../domain/limits/limit-fields.ts';
import type { Client } from './client.ts';
import { subcommand, withContext } from './cli.ts';
import type { CommandLine, TextLayout } from './cli.ts';
import type { CommonOptions } from './common-options.ts';
import { table } from './table.ts';

interface ResolveLimitOptions extends CommonOptions {
  readonly cost?: string;
  readonly inputTokens?: string;
  readonly outputTokens?: string;
  readonly beyondBound?: boolean;
}

export function limitsResolve(limits: Command, cli: CommandLine): void {
  subcommand(limits, 'resolve [call]', 'list calls of uncertain cost, or say what one has cost: limits then count that')
    .option('--cost <usd>', 'dollars; 0 if the provider did not charge for it')
    .option('--input-tokens <number>', 'if limits count tokens (default: what is known)')
    .option('--output-tokens <number>', 'the same of the output')
    .option('--beyond-bound', 'take a cost above what limits hold for the call')
    .action((call: string | undefined, options: ResolveLimitOptions) =>
      withContext(cli, options, async ({ client, print }) => {
        const resolving = [options.cost, options.inputTokens, options.outputTokens, options.beyondBound];
        if (call === undefined && resolving.every((option) => option === undefined))
          return print(await readUncertain(client), renderResolveLimit);
        if (call === undefined)
          throw new TollbookError('invalid', 'Say which call it is: tollbook limits resolve CALL --cost USD.');
        if (options.cost === undefined)
          throw new TollbookError('invalid', 'Say what the call has cost with --cost: dollars, 0 for nothing.');
        const path = `/api/manage/entries/${encodeURIComponent(call)}/resolve`;
        const resolved = await client.send<EntryShape>('POST', path, {
          costUsd: options.cost,
          inputTokens: options.inputTokens && Number(options.inputTokens),
          outputTokens: options.outputTokens && Number(options.outputTokens),
          beyondBound: options.beyondBound,
        });
        print(
          resolved,
          ({ id, cost }) => `Call ${id} has cost ${formatAmount('usd', cost ?? 0)}; reports and limits count that now.`,
        );
      }),
    );
}

/** Uncertain calls that are shown: those of the last 30 days, the newest first. */
const SHOWN_MAX = 100;

async function readUncertain(client: Client): Promise<EntryShape[]> {
  const found: EntryShape[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await client.get<EntriesPage>('/api/mcp/entries', {
      uncertain: 'true',
      limit: String(SHOWN_MAX),
      cursor,
    });
    found.push(...page.entries);
    if (page.next === null || found.length >= SHOWN_MAX) return found.slice(0, SHOWN_MAX);
    cursor = page.next;
  }
}

function renderResolveLimit(entries: readonly EntryShape[], { width }: TextLayout): string {
  if (entries.length === 0) return 'No call of the last 30 days is of uncertain cost.';
  const rows = entries.map(({ id, startedAt, model, doubt, uncertainUpTo = 0 }) => {
    const upTo = formatAmount('usd', uncertainUpTo, 'up');
    return [id, startedAt.slice(5, 16).replace('T', ' '), doubt ?? '', upTo, model ?? ''];
  });
  return `${table(['CALL', 'AT UTC', 'WHY', 'UP TO', 'MODEL'], rows, width)}

Say what one has cost:  npx tollbook limits resolve CALL --cost USD`;
}
