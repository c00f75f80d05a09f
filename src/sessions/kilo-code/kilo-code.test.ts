import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describeSource } from '../contract/source-contract.ts';

const SESSION = 'ses_ddd3fb116ffenzFhyY0N0m9hxE';

describeSource({
  source: 'kilo_code',
  home: join(import.meta.dirname, 'fixture'),
  prepare: (home) => {
    const folder = join(home, '.local', 'share', 'kilo');
    mkdirSync(folder, { recursive: true });
    const db = new DatabaseSync(join(folder, 'kilo.db'));
    db.exec(readFileSync(join(home, 'kilo.sql'), 'utf8'));
    db.close();
  },
  calls: [
    `${SESSION} anthropic/claude-sonnet-4-5 12+0+7871 22`,
    `${SESSION} anthropic/claude-sonnet-4-5 14+7871+36 32`,
  ],
  projects: ['/code/atlas'],
});
