import type { Usage } from '../usage/usage.ts';

/** Coding assistants whose session files are read. */
export const LOCAL_SOURCES = [
  'claude_code',
  'codex',
  'gemini_cli',
  'opencode',
  'qwen_code',
  'pi',
  'copilot_cli',
  'cline',
  'kimi_code',
  'zed',
  'goose',
  'kilo_code',
  'droid',
  'amp',
] as const;
export type LocalSource = (typeof LOCAL_SOURCES)[number];

/** The provider whose models a source uses; null = several, and then a model's name starts with `<provider>/`. */
export const PROVIDER_OF_SOURCE: Readonly<Record<LocalSource, 'anthropic' | 'openai' | 'google' | null>> = {
  claude_code: 'anthropic',
  codex: 'openai',
  gemini_cli: 'google',
  opencode: null,
  qwen_code: null,
  pi: null,
  copilot_cli: null,
  cline: null,
  kimi_code: null,
  zed: null,
  goose: null,
  kilo_code: null,
  droid: null,
  amp: null,
};

/** True for sources that send the id of the session with each call, so that the gateway knows it. */
export const NAMES_SESSION: Readonly<Record<LocalSource, boolean>> = {
  claude_code: true,
  codex: true,
  gemini_cli: false,
  opencode: true,
  qwen_code: false,
  pi: false,
  copilot_cli: false,
  cline: false,
  kimi_code: false,
  zed: false,
  goose: false,
  kilo_code: true,
  droid: false,
  amp: false,
};

/** A model as price lists know it. */
export interface SourceModel {
  readonly provider: string;
  readonly name: string;
}

/** Returns the provider and name of a model in calls and records of a source. */
export function readSourceModel(source: LocalSource, model: string): SourceModel {
  const provider = PROVIDER_OF_SOURCE[source];
  if (provider !== null) return { provider, name: model };
  const slash = model.indexOf('/');
  return slash < 1 ? { provider: UNKNOWN_PROVIDER, name: model } : splitModel(model, slash);
}

function splitModel(model: string, slash: number): SourceModel {
  return { provider: model.slice(0, slash), name: model.slice(slash + 1) };
}

/** Provider of a model whose provider is not known. No price list has it. */
const UNKNOWN_PROVIDER = 'unknown';

/** Returns the name of a source in commands and paths, such as `claude-code`. */
export function sourceSlug(source: LocalSource): string {
  return source.replaceAll('_', '-');
}

/** Returns the source with a slug or name in any case; undefined = none. */
export function findSource(text: string): LocalSource | undefined {
  const slug = text.toLowerCase().replaceAll('_', '-');
  return LOCAL_SOURCES.find((source) => sourceSlug(source) === slug);
}

/** One answered call from session files. Many rows and files contain it; here it is once. */
export interface LocalCall {
  readonly source: LocalSource;
  /** The session it is listed under, as the assistant names it. Never leaves the machine but hashed. */
  readonly sessionId: string;
  /** Working folder of the assistant; null = unknown. Only its hash leaves the machine. */
  readonly project: string | null;
  /** Name in the log. If the source uses several providers, `<provider>/<name>`. */
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
