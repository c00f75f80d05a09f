import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry } from '../domain/usage/call.ts';
import { openBreakableLog } from './contract/breakable-log.ts';
import { journalContract } from './contract/journal-contract.ts';
import { openJournalReader } from './journal-reader.ts';

/** A few calls fill a segment of this size. */
const SEGMENT_BYTES = 5_000;

function readAll(folder: string): Entry[] {
  const reader = openJournalReader(folder);
  try {
    return reader.readEnded(0, 10_000).entries.slice();
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
        entries: () => readAll(folder),
        dispose: () => {
          log.journal.close();
          rmSync(folder, { recursive: true });
        },
      };
    },
    15,
  );
