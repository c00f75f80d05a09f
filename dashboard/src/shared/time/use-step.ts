import type { Step } from '../format/time.ts';
import { useWorkspace } from '../session/session.ts';
import { choosePeriod, type PeriodChoice, stepFor } from './period.ts';
import { useNow } from './use-now.ts';

const MINUTE_MS = 60_000;

/** The step that shows a period in a readable number of bars. */
export function useStep(choice: PeriodChoice): Step {
  const { timeZone } = useWorkspace();
  const now = useNow(MINUTE_MS);
  return stepFor(choosePeriod(choice, now, timeZone).days);
}
