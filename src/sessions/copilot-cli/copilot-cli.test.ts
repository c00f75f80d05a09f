import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describeSource } from '../contract/source-contract.ts';

const SESSION = 'f102addf-05ed-4450-ae58-6444ce121108';

describeSource({
  source: 'copilot_cli',
  home: join(import.meta.dirname, 'fixture'),
  prepare: (home) => {
    const db = new DatabaseSync(join(home, '.copilot', 'session-store.db'));
    db.exec(readFileSync(join(home, 'session-store.sql'), 'utf8'));
    // An older version has no events of requests, and SQLite's own times.
    db.exec(`INSERT INTO sessions (id, cwd) VALUES ('older', '/code/atlas');
      INSERT INTO assistant_usage_events (session_id, model, input_tokens, output_tokens, cache_read_tokens, created_at)
      VALUES ('older', 'gpt-5', 100, 20, 60, '2026-11-23 10:00:00')`);
    db.close();
  },
  calls: [
    'older openai/gpt-5 40+60+0 20',
    `${SESSION} anthropic/claude-sonnet-4-5 0+0+12241 63`,
    `${SESSION} anthropic/claude-sonnet-4-5 0+12241+97 72`,
  ],
  projects: ['/code/atlas'],
});
