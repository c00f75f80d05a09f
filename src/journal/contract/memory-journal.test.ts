import { journalContract } from './journal-contract.ts';
import { createMemoryJournal } from './memory-journal.ts';

journalContract(
  'memory journal',
  ({ openCallsMax }) => {
    const troubles: (string | null)[] = [];
    const memory = createMemoryJournal({ openCallsMax, onProblem: (trouble) => troubles.push(trouble) });
    return {
      journal: memory.journal,
      troubles,
      entries: memory.entries,
      breakWrites: () => memory.failWith('The memory journal was told to fail.'),
      mendWrites: () => memory.failWith(null),
      dispose: () => memory.journal.close(),
    };
  },
  200,
);
