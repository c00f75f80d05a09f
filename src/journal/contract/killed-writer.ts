/**
 * A process for the kill test: begins and ends calls as fast as the journal takes them, and says on its standard output
 * what was acknowledged, one line each, until it is killed. Arguments: folder, prefix of its call ids.
 */
import { byId } from './by-id.ts';
import { writeSync } from 'node:fs';
import { openJournal } from '../open-journal.ts';
import type { CommitCallback } from '../journal.ts';
import { sampleBegin, sampleEnd, sampleLost, sampleUsage } from './sample-calls.ts';

const IN_FLIGHT = 12;
const STDOUT = 1;
const [, , folder = '', prefix = ''] = process.argv;

const journal = openJournal({
  folder,
  sync: 'normal',
  clock: () => 0,
  onProblem: (problem) => say(`trouble ${problem}`),
});
say(`recovered ${journal.recover(sampleLost).lost}`);
let made = 0;
for (let i = 0; i < IN_FLIGHT; i += 1) next();

function say(line: string): void {
  writeSync(STDOUT, `${line}\n`);
}

function acknowledged(line: string, then: () => void): CommitCallback {
  return (error) => {
    if (error) throw error;
    say(line);
    then();
  };
}

/** Calls last some turns, each another number of them; some are noted; one in eight never ends. */
function next(): void {
  made += 1;
  const number = made;
  const callId = `${prefix}-${number}`;
  const end = (): void => byId(journal).end(sampleEnd(callId), acknowledged(`end ${callId}`, next));
  byId(journal).begin(
    sampleBegin(callId),
    acknowledged(`begin ${callId}`, () => {
      if (number % 3 === 0) byId(journal).note(callId, sampleUsage);
      if (number % 8 === 0) setImmediate(next);
      else if (number % 2 === 0) setImmediate(end);
      else end();
    }),
  );
}
