import { byId } from './by-id.ts';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Entry } from '../../domain/usage/call.ts';
import type { CommitCallback } from '../journal.ts';
import type { TurnJournal } from '../turn-journal.ts';
import type { RefusedCall } from '../../domain/usage/refused-call.ts';
import { sampleBegin, sampleEnd, sampleLost, sampleRefused, sampleUsage } from './sample-calls.ts';

/** A journal under test and the power to break it. */
export interface Subject {
  readonly journal: TurnJournal;
  /** Reported problems: sentences, and null at the end of one. */
  readonly troubles: readonly (string | null)[];
  /** Every entry that a reader finds, oldest first. */
  entries(): Entry[];
  /** Refused calls that a reader finds, oldest first. */
  refused(): RefusedCall[];
  breakWrites(): void;
  mendWrites(): void;
  dispose(): void;
}

export interface SubjectOptions {
  readonly openCallsMax: number;
}

/** One event-loop turn: earlier calls are committed and their callbacks run. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** Longer than any wait between two tries. */
const PROBE_MS = 10_000;

export function journalContract(name: string, make: (options: SubjectOptions) => Subject, runs: number): void {
  describe(`a journal: ${name}`, () => {
    let subject: Subject;
    let journal: TurnJournal;
    let found: string[];

    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      subject = make({ openCallsMax: 8 });
      journal = subject.journal;
      found = [];
    });
    afterEach(() => {
      subject.dispose();
      vi.useRealTimers();
    });

    const as =
      (what: string): CommitCallback =>
      (error) =>
        void found.push(error ? `${what} failed` : what);
    const begin = (id: string): void => byId(journal).begin(sampleBegin(id), as(`begin ${id}`));
    const end = (id: string): void => byId(journal).end(sampleEnd(id), as(`end ${id}`));
    const refused = (id: string) => (): void => void found.push(`refused ${id}`);
    const ids = (): string[] => subject.entries().map((entry) => entry.callId);

    test('all writes of one turn are one commit, and are acknowledged after it', async () => {
      for (const id of ['a', 'b', 'c']) begin(id);
      expect(found).toEqual([]);
      await turn();
      expect(found).toEqual(['begin a', 'begin b', 'begin c']);
      expect(journal.stats).toMatchObject({ commits: 1, rows: 3, openCalls: 3, lag: 0 });
    });

    test('an ended call is read back with all its data', async () => {
      begin('a');
      await turn();
      end('a');
      await turn();
      expect(subject.entries()).toEqual([{ ...sampleBegin('a'), ...sampleEnd('a'), source: 'proxy' }]);
      expect(journal.endSeq).toBe(1);
    });

    test('ends are numbered in the order of arrival, without gaps', async () => {
      for (const id of ['a', 'b', 'c']) begin(id);
      await turn();
      for (const id of ['c', 'a']) end(id);
      await turn();
      end('b');
      await turn();
      expect(ids()).toEqual(['c', 'a', 'b']);
      expect(journal.endSeq).toBe(3);
    });

    test('a call that begins and ends in the same turn is in the ledger once', async () => {
      begin('a');
      end('a');
      begin('b');
      await turn();
      expect(found).toEqual(['begin a', 'end a', 'begin b']);
      expect(ids()).toEqual(['a']);
      expect(journal.stats.openCalls).toBe(1);
    });

    test('a note does not change how its call ends, in any turn', async () => {
      begin('a');
      byId(journal).note('a', sampleUsage);
      await turn();
      byId(journal).note('a', sampleUsage);
      end('a');
      byId(journal).note('a', sampleUsage);
      await turn();
      byId(journal).note('a', sampleUsage);
      await turn();
      expect(ids()).toEqual(['a']);
    });

    test('a call ends once: a second end, or one without a begin, is an error', async () => {
      begin('a');
      await turn();
      end('a');
      end('a');
      end('stranger');
      await turn();
      end('a');
      await turn();
      expect(found.toSorted()).toEqual(['begin a', 'end a', 'end a failed', 'end a failed', 'end stranger failed']);
      expect(ids()).toEqual(['a']);
    });

    test('the number of open calls is limited, and an end makes room', async () => {
      for (let i = 0; i < 9; i += 1) begin(`c${i}`);
      await turn();
      expect(found.filter((line) => line.endsWith('failed'))).toEqual(['begin c8 failed']);
      end('c0');
      await turn();
      begin('late');
      await turn();
      expect(found.at(-1)).toBe('begin late');
    });

    test('a call written during acknowledgements belongs to the next turn', async () => {
      byId(journal).begin(sampleBegin('a'), () => {
        end('a');
        begin('b');
      });
      begin('c');
      byId(journal).note('c', sampleUsage);
      await turn();
      await turn();
      expect(found).toEqual(['begin c', 'end a', 'begin b']);
      expect(ids()).toEqual(['a']);
    });

    test('a caller that throws does not prevent the acknowledgement of others', () => {
      byId(journal).begin(sampleBegin('a'), () => {
        throw new Error('the caller broke');
      });
      begin('b');
      expect(() => journal.recover(sampleLost)).toThrow('the caller broke');
      expect(found).toEqual(['begin b']);
    });

    test('when a commit fails, its begins are undone and every caller gets an error', async () => {
      subject.breakWrites();
      begin('a');
      begin('b');
      end('b');
      await turn();
      expect(found).toEqual(['begin a failed', 'begin b failed', 'end b failed']);
      expect(journal.problem).toBe(subject.troubles[0]);
      expect(journal.problem).toMatch(/.{20,}\.$/);
      expect(journal.stats).toMatchObject({ openCalls: 0, waitingEnds: 0, failedCommits: 1 });
      subject.mendWrites();
      vi.advanceTimersByTime(PROBE_MS);
      expect(ids()).toEqual([]);
      expect(journal.endSeq).toBe(0);
    });

    test('while the journal fails, begins are refused without touching the disk', async () => {
      subject.breakWrites();
      begin('a');
      await turn();
      const { failedCommits } = journal.stats;
      for (const id of ['b', 'c', 'd']) {
        begin(id);
        await turn();
      }
      expect(found.slice(1)).toEqual(['begin b failed', 'begin c failed', 'begin d failed']);
      expect(journal.stats.failedCommits).toBe(failedCommits);
    });

    test('an end that cannot be written is reported immediately, and written once when the disk works again', async () => {
      for (const id of ['a', 'b', 'c']) begin(id);
      await turn();
      subject.breakWrites();
      end('a');
      await turn();
      end('b');
      end('b');
      await turn();
      expect(found.slice(3).toSorted()).toEqual(['end a failed', 'end b failed', 'end b failed']);
      expect(journal.stats.waitingEnds).toBe(2);
      vi.advanceTimersByTime(PROBE_MS);
      expect(journal.problem).not.toBeNull();

      subject.mendWrites();
      vi.advanceTimersByTime(PROBE_MS);
      expect(journal.problem).toBeNull();
      expect(subject.troubles).toEqual([expect.any(String), null]);
      end('c');
      begin('d');
      await turn();
      expect(found.slice(6)).toEqual(['end c', 'begin d']);
      expect(ids()).toEqual(['a', 'b', 'c']);
      expect(journal.stats).toMatchObject({ openCalls: 1, waitingEnds: 0 });
    });

    test('retries become rarer, but at least one a second, so that calls continue promptly', async () => {
      subject.breakWrites();
      begin('a');
      await turn();
      vi.advanceTimersByTime(60_000);
      expect(journal.stats.failedCommits).toBeLessThan(70);
      expect(journal.stats.failedCommits).toBeGreaterThan(55);
      subject.mendWrites();
      vi.advanceTimersByTime(1_000);
      expect(journal.problem).toBeNull();
    });

    test('a refused call is read back once, is written before its caller continues, and needs no begin', async () => {
      begin('a');
      journal.refuse(sampleRefused('r'), refused('r'));
      end('a');
      expect(subject.refused()).toEqual([]);
      await turn();
      journal.refuse(sampleRefused('s', { calls: 4, isSum: true }), refused('s'));
      await turn();
      expect(found).toEqual(['begin a', 'end a', 'refused r', 'refused s']);
      expect(ids()).toEqual(['a']);
      expect(subject.refused()).toEqual([sampleRefused('r'), sampleRefused('s', { calls: 4, isSum: true })]);
      expect(journal.endSeq).toBe(3);
    });

    test('a refused call that cannot be written waits, is written once, and blocks no call', async () => {
      subject.breakWrites();
      journal.refuse(sampleRefused('r'), refused('r'));
      await turn();
      journal.refuse(sampleRefused('s'), refused('s'));
      await turn();
      expect(journal.problem).not.toBeNull();
      subject.mendWrites();
      vi.advanceTimersByTime(PROBE_MS);
      begin('a');
      await turn();
      expect(found).toEqual(['refused r', 'refused s', 'begin a']);
      expect(subject.refused().map(({ callId }) => callId)).toEqual(['r', 's']);
    });

    test('waiting refused calls are bounded, and the lost ones are counted', async () => {
      subject.breakWrites();
      for (let call = 0; call < 10_005; call += 1) journal.refuse(sampleRefused(`r${call}`), () => {});
      await turn();
      expect(journal.lostRefusals).toBe(5);
      journal.refuse(sampleRefused('late', { calls: 7, isSum: true }), () => {});
      expect(journal.lostRefusals).toBe(12);
      subject.mendWrites();
      vi.advanceTimersByTime(PROBE_MS);
      expect(subject.refused()).toHaveLength(10_000);
      expect(journal.lostRefusals).toBe(12);
    });

    test('refused calls still waiting when the journal closes are counted as lost', async () => {
      subject.breakWrites();
      journal.refuse(sampleRefused('r'), () => {});
      await turn();
      journal.refuse(sampleRefused('s', { calls: 4, isSum: true }), () => {});
      journal.close();
      expect(journal.lostRefusals).toBe(5);
    });

    test('close writes the current turn, and then refuses', async () => {
      begin('a');
      end('a');
      begin('b');
      journal.close();
      expect(found).toEqual(['begin a', 'end a', 'begin b']);
      begin('c');
      end('b');
      await turn();
      expect(found.slice(3).toSorted()).toEqual(['begin c failed', 'end b failed']);
      expect(journal.problem).toMatch(/closed/);
      journal.close();
    });

    test('if the store is ahead of the journal, later ends continue after it', async () => {
      journal.shipped(41);
      begin('a');
      end('a');
      await turn();
      expect(journal.endSeq).toBe(42);
      expect(journal.recover(sampleLost)).toEqual({ lost: 0, gap: true });
    });

    test('in any order of events, every end is written once and no refused call leaves a trace', async () => {
      const step = fc.constantFrom('begin', 'note', 'end', 'turn', 'break', 'mend');
      const steps = fc.array(fc.tuple(step, fc.nat(7)), { minLength: 5, maxLength: 60 });
      await fc.assert(
        fc.asyncProperty(steps, async (schedule) => {
          const run = make({ openCallsMax: 8 });
          try {
            await play(run, schedule);
          } finally {
            run.dispose();
          }
        }),
        { numRuns: runs },
      );
    });
  });
}

/** Calls as their caller knows them: number → refused, begun, or ended. */
async function play(subject: Subject, schedule: readonly (readonly [string, number])[]): Promise<void> {
  const { journal } = subject;
  const ended: string[] = [];
  const refused = new Set<string>();
  let live: string[] = [];
  let made = 0;
  for (const [step, pick] of schedule) {
    const callId = live[pick % Math.max(1, live.length)];
    if (step === 'break') subject.breakWrites();
    if (step === 'mend') subject.mendWrites();
    if (step === 'turn') await turn();
    if (step === 'begin') {
      const id = `call-${(made += 1)}`;
      live.push(id);
      byId(journal).begin(sampleBegin(id), (error) => {
        if (error) refused.add(id);
      });
    }
    if (step === 'note' && callId) byId(journal).note(callId, sampleUsage);
    if (step === 'end' && callId) {
      ended.push(callId);
      byId(journal).end(sampleEnd(callId), () => {});
    }
    live = live.filter((id) => !refused.has(id) && !ended.includes(id));
  }
  await turn();
  subject.mendWrites();
  vi.advanceTimersByTime(PROBE_MS);
  await turn();
  const recorded = subject.entries().map((entry) => entry.callId);
  expect(recorded.toSorted()).toEqual(ended.filter((id) => !refused.has(id)).toSorted());
  expect(journal.endSeq).toBe(recorded.length);
  expect(journal.problem).toBeNull();
}
