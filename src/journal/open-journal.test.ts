import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBreakableLog } from './contract/breakable-log.ts';
import { journalContract } from './contract/journal-contract.ts';
import { type EndedBatch, openJournalReader } from './journal-reader.ts';

/** A few calls fill a segment of this size. */
const SEGMENT_BYTES = 5_000;

function readAll(folder: string): EndedBatch {
  const reader = openJournalReader(folder);
  try {
    return reader.readEnded(0, 20_000);
  } finally {
    reader.close();
  }
}

for (const sync of ['normal', 'full'] as const)
  journalContract(
    `log with ${sync} sync`,
    ({ openCallsMax }) => {
      const folder = mkdtempSync(join(tmpdir(), 'tollbook-journal-'));
      const log = openBreakableLog({ folder, sync, openCallsMax, segmentBytes: SEGMENT_BYTES });
      return {
        ...log,
        entries: () => [...readAll(folder).entries],
        refused: () => [...readAll(folder).refused],
        dispose: () => {
          log.journal.close();
          rmSync(folder, { recursive: true });
        },
      };
    },
    15,
  );
