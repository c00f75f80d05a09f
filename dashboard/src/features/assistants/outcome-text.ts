import type { OutcomeCounts } from '../../../../src/contract/observed.ts';
import { countNoun } from '../../../../src/domain/text/counts.ts';

/** Returns outcomes in words: `2 commits, 1 pull request, +120 −4 lines`; '' = none of them is reported. */
export function outcomeText({ commits, pullRequests, linesAdded, linesRemoved }: OutcomeCounts): string {
  const hasLines = linesAdded !== null || linesRemoved !== null;
  return [
    ...(commits === null ? [] : [countNoun(commits, 'commit')]),
    ...(pullRequests === null ? [] : [countNoun(pullRequests, 'pull request')]),
    ...(hasLines ? [`+${linesAdded ?? 0} −${linesRemoved ?? 0} lines`] : []),
  ].join(', ');
}
