import type { Usage } from '../usage/usage.ts';

/** Coding assistants whose session files are read. */
export const LOCAL_SOURCES = ['claude_code', 'codex'] as const;
export type LocalSource = (typeof LOCAL_SOURCES)[number];

/** Under whose prices a source's models are. */
export const PROVIDER_OF_SOURCE: Readonly<Record<LocalSource, 'anthropic' | 'openai'>> = {
  claude_code: 'anthropic',
  codex: 'openai',
};

/** One answered call, as session files tell of it. It stands in many rows and files, and is here once. */
export interface LocalCall {
  readonly source: LocalSource;
  /** The session it is listed under, as the assistant names it. Never leaves the machine but hashed. */
  readonly sessionId: string;
  /** The folder that the assistant worked in; null = not told. Never leaves the machine but hashed. */
  readonly project: string | null;
  /** As logged. */
  readonly model: string;
  /** The files don't say which model answered: `model` is what the assistant used in those days. */
  readonly modelAssumed?: true;
  /** Known only from copies: the file of the session that made it is gone. */
  readonly copied?: true;
  /** Running total of its thread after it, in tokens. Copies have the same, though their time may be another. */
  readonly total?: number;
  /** Epoch ms at which it was first told of. */
  readonly at: number;
  readonly usage: Usage;
}

/**
 * What is hashed for the id of a session: the same text for its synced records and its calls through the gate, so that
 * each call counts once. The id is random, so its plain SHA-256 can't be guessed, and it is the same on every machine.
 */
export function sessionText(source: LocalSource, sessionId: string): string {
  return `${source}:${sessionId}`;
}
