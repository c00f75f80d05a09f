import type { CounterMove } from '../domain/limits/limit.ts';
import type { EntryStore } from '../storage/store.ts';

/** A store of entries that says how counters moved otherwise than by calls, which the gate counts itself. */
export function withCounterEvents(entries: EntryStore, tell: (moves: readonly CounterMove[]) => void): EntryStore {
  return {
    ...entries,
    async append(batch) {
      const appended = await entries.append(batch);
      tell(appended.moves);
      return appended;
    },
    async adjust(adjustments, by) {
      const adjusted = await entries.adjust(adjustments, by);
      tell(adjusted.moves);
      return adjusted;
    },
  };
}
