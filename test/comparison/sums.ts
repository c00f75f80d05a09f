import type { UsageSummary } from '../../src/contract/usage.ts';
import type { ExportedCall } from '../e2e/recorded-call.ts';
import type { Service } from '../service.ts';
import { nanoOf } from './verdict.ts';

interface TagRow {
  readonly cost: number;
  readonly calls: number;
}

/** Where the reports say something else than the entries add up to. */
export async function sumFindings(service: Service, ledger: readonly ExportedCall[]): Promise<string[]> {
  const summary = await service.report<UsageSummary>('/api/mcp/usage/summary');
  const teams = await service.report<TagRow[]>('/api/mcp/usage/by-tag?tagKey=team&limit=100');
  const sent = ledger.filter(({ outcome }) => outcome !== 'not_sent');
  const cost = sumOf(sent.map((entry) => nanoOf(entry.cost ?? 0)));
  const count = (wanted: (entry: ExportedCall) => boolean) => sent.filter(wanted).length;
  const pairs: readonly (readonly [string, bigint | number, bigint | number])[] = [
    ['cost', nanoOf(summary.totalCost), cost],
    ['calls', summary.totalCalls, sent.length],
    ['input tokens', summary.totalInputTokens, sent.reduce((sum, { inputTokens }) => sum + inputTokens, 0)],
    ['output tokens', summary.totalOutputTokens, sent.reduce((sum, { outputTokens }) => sum + outputTokens, 0)],
    ['unpriced calls', summary.unpricedCalls ?? 0, count(({ uncertainReason }) => uncertainReason === 'no_price')],
    [
      'uncertain calls',
      summary.uncertainCalls ?? 0,
      count(({ uncertainReason }) => uncertainReason !== null && uncertainReason !== 'no_price'),
    ],
    ['cost by provider', sumOf(Object.values(summary.byProvider).map((share) => nanoOf(share.cost))), cost],
    ['cost by model', sumOf(Object.values(summary.byModel).map((share) => nanoOf(share.cost))), cost],
    ['calls by model', Object.values(summary.byModel).reduce((sum, { calls }) => sum + calls, 0), sent.length],
    ['cost by team', sumOf(teams.map((row) => nanoOf(row.cost))), cost],
    ['calls by team', teams.reduce((sum, { calls }) => sum + calls, 0), sent.length],
  ];
  return pairs
    .filter(([, reported, summed]) => reported !== summed)
    .map(([what, reported, summed]) => `the report's ${what}: ${reported}, of the entries: ${summed}`);
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}
