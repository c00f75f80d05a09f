import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeSource } from '../contract/source-contract.ts';

const FIRST = '01a20ae3-9068-7498-b0c4-01ce5ab12dc2';
const SECOND = '01a20ae3-956d-701c-81b1-7478c325ecef';
const FOLDER = join('.pi', 'agent', 'sessions', '--code-atlas--');

describeSource({
  source: 'pi',
  home: join(import.meta.dirname, 'fixture'),
  // A branch repeats the entries below a header of its own. One answer has no id of the provider.
  prepare: (home) => {
    const rows = readFileSync(join(home, FOLDER, `2026-11-24T00-10-15-529Z_${FIRST}.jsonl`), 'utf8').split('\n');
    const branch = rows.map((row, index) => (index === 0 ? row.replace(FIRST, 'branch').replace('T00', 'T01') : row));
    writeFileSync(join(home, FOLDER, 'a.jsonl'), branch.join('\n'));
    const last = rows.at(-2) ?? '';
    const unnamed = `${last.replaceAll(/"responseId":"\w+"/g, '"a":0').replace('"output":72', '"output":73')}\n`;
    writeFileSync(join(home, FOLDER, `2026-11-24T00-10-15-529Z_${FIRST}.jsonl`), rows.join('\n') + unnamed);
    writeFileSync(join(home, FOLDER, 'a.jsonl'), branch.join('\n') + unnamed);
  },
  calls: [
    `${FIRST} anthropic/claude-sonnet-4-5 0+0+1677 54`,
    `${FIRST} anthropic/claude-sonnet-4-5 0+1677+79 72`,
    `${FIRST} anthropic/claude-sonnet-4-5 0+1677+79 73`,
    `${SECOND} openai/gpt-5-mini 1339+0+0 86`,
    `${SECOND} openai/gpt-5-mini 161+1280+0 91`,
  ],
  projects: ['/code/atlas'],
});
