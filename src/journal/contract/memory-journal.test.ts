import { journalContract } from './journal-contract.ts';
import { createMemoryJournal } from './memory-journal.ts';

journalContract(
  'memory journal',
  ({ openCallsMax }) => {
    const problems: (string | null)[] = [];
    const memory = createMemoryJournal({ openCallsMax, onProblem: (problem) => problems.push(problem) });
    return {
      journal: memory.journal,
      troubles: problems,
      entries: memory.entries,
      refused: memory.refused,
      breakWrites: () => memory.failWith('The memory journal was told to fail.'),
      mendWrites: () => memory.failWith(null),
      dispose: () => memory.journal.close(),
    };
  },
  200,
);
