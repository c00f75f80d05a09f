import { hash } from 'node:crypto';
import { LOCAL_SOURCES, sessionText } from '../domain/sessions/local-call.ts';

/** Returns the names that the ledger may have for the session that an assistant shows with this id. */
export function hashSessionId(id: string): string[] {
  return LOCAL_SOURCES.map((source) => hash('sha256', sessionText(source, id)));
}
