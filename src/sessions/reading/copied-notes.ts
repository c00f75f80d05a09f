import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { sumClasses, TOKEN_CLASSES } from '../../domain/usage/usage.ts';
import { countNoun } from '../../domain/text/counts.ts';

/** Says how much is known only from copies, since files of the sessions that made it are gone. */
export function copiedNotes(assistant: string, calls: readonly LocalCall[]): string[] {
  const copied = calls.filter((call) => call.copied);
  if (copied.length === 0) return [];
  let tokens = 0;
  for (const { usage } of copied)
    for (const inference of usage.inferences) tokens += sumClasses(inference.tokens, TOKEN_CLASSES);
  const amount = countNoun(tokens, 'token');
  return [
    copied.length === 1
      ? `${assistant}: 1 call (${amount}) is known only from copies in other sessions, since the file of the session that made it is gone. It is counted once, under the first session that has it.`
      : `${assistant}: ${countNoun(copied.length, 'call')} (${amount}) are known only from copies in other sessions, since the files of the sessions that made them are gone. Each is counted once, under the first session that has it.`,
  ];
}
