import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type LocalSource, sessionText } from '../../domain/sessions/local-call.ts';

/** Ids are random and 36 characters long; anything much longer is not one. */
const SESSION_ID_LENGTH_MAX = 128;

/**
 * Returns the hash of the assistant session that a request names, the same as in synced session records: SHA-256 over
 * source and session id, hex. null = none.
 */
export function hashAssistantSession(headers: IncomingHttpHeaders): string | null {
  const claude = headers['x-claude-code-session-id'];
  if (claude) return hashSession('claude_code', claude);
  // Every form of Codex says who it is, each in its own words; older ones write the session otherwise.
  const codex = headers['session-id'] ?? headers['session_id'];
  return codex && headers['originator'] ? hashSession('codex', codex) : null;
}

function hashSession(source: LocalSource, id: string | string[]): string | null {
  if (typeof id !== 'string' || id.length > SESSION_ID_LENGTH_MAX) return null;
  return hash('sha256', sessionText(source, id));
}
