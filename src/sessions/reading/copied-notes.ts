import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { sumClasses, TOKEN_CLASSES } from '../../domain/usage/usage.ts';
import { countNoun } from '../../domain/text/counts.ts';

/** Returns a sentence on usage that is known only from copies, because the original session files were deleted. */
export function copiedNotes(assistant: string, calls: readonly LocalCall[]): string[] {
  const copied = calls.filter((call) => call.copied);
  if (copied.length === 0) return [];
  let tokens = 0;
  for (const { usage } of copied)
    for (const inference of usage.inferences) tokens += sumClasses(inference.tokens, TOKEN_CLASSES);
  const amount = countNoun(tokens, 'token');
  return [
    copied.length === 1
      ? `${assistant}: 1 call (${amount}) is known only from copies in other sessions, because its original session file was deleted. It is counted once, under the first session that has it.`
      : `${assistant}: ${countNoun(copied.length, 'call')} (${amount}) are known only from copies in other sessions, because their original session files were deleted. Each is counted once, under the first session that has it.`,
  ];
}
