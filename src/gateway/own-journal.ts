import type { Config } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import { type Journal, refusingJournal } from '../journal/journal.ts';
import { openJournal } from '../journal/open-journal.ts';
import type { TurnJournal } from '../journal/turn-journal.ts';
import { findOlderJournal, requireKnownJournal } from '../ledger/known-journal.ts';
import type { Clock } from '../lib/clock.ts';
import type { JournalNotes } from '../storage/records/journal.ts';
import type { HealthAlerts } from './health-alerts.ts';

interface OwnJournalOptions {
  readonly folder: string;
  /** Facts about it that the ledger has noted. */
  readonly notes: JournalNotes;
  readonly config: Pick<Config, 'journalSync'>;
  readonly clock: Clock;
  readonly health: HealthAlerts;
}

/** The journal of a gateway. */
interface OwnJournal {
  /** null = it can't be opened. */
  readonly open: TurnJournal | null;
  /** The same; if it can't be opened, one that refuses calls with the reason. The ledger can still be read. */
  readonly journal: Journal;
  /** Why it seems to be an older copy; null = it does not. */
  readonly older: string | null;
}

export function openOwnJournal({ folder, notes, config, clock, health }: OwnJournalOptions): OwnJournal {
  const onLostRefusals = (calls: number): void => health.noteLostRefusals(calls);
  try {
    requireKnownJournal({ journal: folder }, notes.last);
    const older = findOlderJournal(folder, notes.end);
    const open = openJournal({
      folder,
      sync: config.journalSync,
      clock,
      onProblem: (sentence) => health.report('journal', sentence),
      onLostRefusals,
    });
    return { open, journal: open, older };
  } catch (error) {
    if (!(error instanceof TollbookError)) throw error;
    health.report('journal', error.message);
    return { open: null, journal: refusingJournal(error, onLostRefusals), older: null };
  }
}
