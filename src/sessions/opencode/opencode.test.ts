import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describeSource } from '../contract/source-contract.ts';

const SESSION = 'ses_df51c5de6ffeqQMmOn3ajv9XrO';
/** A newer session, because ids of sessions descend with time. */
const FORK = 'ses_df51c1de6ffeqQMmOn3ajv9XrO';
const ANSWER = 'msg_20ae3b5cc0018upmM1QetZDYae';

describeSource({
  source: 'opencode',
  home: join(import.meta.dirname, 'fixture'),
  prepare: (home) => {
    const db = new DatabaseSync(join(home, '.local', 'share', 'opencode', 'opencode.db'));
    db.exec('PRAGMA journal_mode = WAL');
    db.exec(readFileSync(join(home, 'opencode.sql'), 'utf8'));
    // A fork copies messages with new ids, and goes on.
    const fork = (id: string, data: string): string =>
      `INSERT INTO message SELECT '${id}', '${FORK}', 0, 0, ${data} FROM message WHERE id = '${ANSWER}'`;
    db.exec(fork('msg_20ae4b5cc0018upmM1QetZDYae', 'data'));
    db.exec(fork('msg_20ae4b5cc0028upmM1QetZDYae', "json_set(data, '$.time.completed', 1795479026272)"));
    db.close();
  },
  calls: [
    `${SESSION} anthropic/claude-sonnet-4-5 0+0+7871 22`,
    `${SESSION} anthropic/claude-sonnet-4-5 0+7871+36 32`,
    `${FORK} anthropic/claude-sonnet-4-5 0+7871+36 32`,
  ],
  projects: ['/code/atlas'],
});
