import type { RepricePreview } from '../contract/prices.ts';
import { describeRepriced } from '../domain/text/contracts.ts';
import type { CommandContext } from './cli.ts';
import { confirm } from './confirm.ts';

/** Options of commands that price recorded calls again. */
export interface RepriceOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const FROM_TODAY = 'To leave them as they are, use --from today.';

/**
 * Shows which recorded calls a new price or contract changes, and asks if one of them has a cost, if not all were read,
 * or if usage loses its price. Returns whether to set it; a dry run never does.
 */
export async function confirmReprice(
  { terminal, print }: Pick<CommandContext, 'terminal' | 'print'>,
  what: 'contract' | 'price',
  { dryRun = false, yes = false }: RepriceOptions,
  readPreview: () => Promise<RepricePreview>,
): Promise<boolean> {
  if (yes && !dryRun) return true;
  const preview = await readPreview();
  const { calls, unpricedCalls, isComplete, missingClasses } = preview;
  const changesCosts = calls > unpricedCalls || !isComplete;
  const advice = changesCosts ? ` ${FROM_TODAY}` : '';
  const sentence = `${describeRepriced(what, preview)}${advice}`;
  if (dryRun) print(preview, () => `${sentence} Nothing was set.`);
  if (dryRun || !(changesCosts || missingClasses.length > 0)) return !dryRun;
  terminal.err(`${sentence}\n`);
  const isConfirmed = await confirm(terminal, `Set the ${what}?`);
  if (!isConfirmed) print(null, () => 'Nothing was set.');
  return isConfirmed;
}
