import type { Usage } from '../usage/usage.ts';

/** Coding assistants whose session files are read. */
export const LOCAL_SOURCES = ['claude_code', 'codex'] as const;
export type LocalSource = (typeof LOCAL_SOURCES)[number];

/** Under whose prices a source's models are. */
export const PROVIDER_OF_SOURCE: Readonly<Record<LocalSource, 'anthropic' | 'openai'>> = {
  claude_code: 'anthropic',
  codex: 'openai',
};

/** One answered call from session files. Many rows and files contain it; here it is once. */
export interface LocalCall {
  readonly source: LocalSource;
  /** The session it is listed under, as the assistant names it. Never leaves the machine but hashed. */
  readonly sessionId: string;
  /** Working folder of the assistant; null = unknown. Only its hash leaves the machine. */
  readonly project: string | null;
  /** Name in the log. */
  readonly model: string;
  /** The files don't say which model answered: `model` is what the assistant used in those days. */
  readonly modelAssumed?: true;
  /** Known only from copies: the file of the session that made it is gone. */
  readonly copied?: true;
  /** Running total of its thread after it, in tokens. Copies have the same, though their time may be another. */
  readonly total?: number;
  /** First mention, epoch ms. */
  readonly at: number;
  readonly usage: Usage;
}

/**
 * Returns the text whose hash identifies a session, equal for uploaded records and calls through the gateway, so that
 * each call counts once. Session ids are random, so their SHA-256 cannot be guessed, and it is equal on every machine.
 */
export function sessionText(source: LocalSource, sessionId: string): string {
  return `${source}:${sessionId}`;
}
