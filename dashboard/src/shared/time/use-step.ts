import type { TimeStep } from '../format/time.ts';
import { useWorkspace } from '../session/session.ts';
import { choosePeriod, type PeriodChoice, chooseStep } from './period.ts';
import { useNow } from './use-now.ts';

const NOW_REFRESH_MS = 60_000;

/** The step that shows a period in a readable number of bars. */
export function useStep(choice: PeriodChoice): TimeStep {
  const { timeZone } = useWorkspace();
  const now = useNow(NOW_REFRESH_MS);
  return chooseStep(choosePeriod(choice, now, timeZone).days);
}
