import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { SECRET_PREFIX } from '../../domain/identity/secret.ts';
import { type LocalSource, sessionText } from '../../domain/sessions/local-call.ts';
import { type CallContext, NO_CONTEXT } from '../../domain/usage/call-context.ts';
import { decodeHeader, findValueProblem } from '../../domain/usage/tags.ts';

export interface ContextReading {
  readonly context: CallContext;
  /**
   * Hash of the assistant session that the client names, the same as in synced session records: SHA-256 over source and
   * session id, hex; null = none.
   */
  readonly sessionHash: string | null;
  /** Short, printable ASCII. */
  readonly warnings: readonly string[];
}

/** Ids are random and 36 characters long; anything much longer is not one. */
const SESSION_ID_LENGTH_MAX = 128;

const CONTEXT_HEADERS = [
  'x-svc-session',
  'x-svc-agent',
  'x-svc-run',
  'x-claude-code-session-id',
  'originator',
  'x-session-id',
  'x-opencode-session',
  'traceparent',
] as const;
export const NO_CONTEXT_READING: ContextReading = { context: NO_CONTEXT, sessionHash: null, warnings: [] };

/**
 * Reads from a request's headers who within the client sends it. The gateway's own headers win over the client's.
 * Malformed values are left out with a warning; they never fail the call.
 */
export function readCallContext(headers: IncomingHttpHeaders): ContextReading {
  if (!CONTEXT_HEADERS.some((name) => headers[name] !== undefined)) return NO_CONTEXT_READING;
  return new HeaderReader(headers).read();
}

/** Names that a client sends in its own headers. */
interface ClientNames extends Omit<CallContext, 'session'> {
  readonly sessionHash: string | null;
}

const NO_NAMES: ClientNames = { sessionHash: null, agent: null, parentAgent: null, run: null, requestClass: null };

class HeaderReader {
  readonly #headers: IncomingHttpHeaders;
  readonly #warnings: string[] = [];

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers;
  }

  read(): ContextReading {
    const client = this.#readClient();
    const ownAgent = this.#value('x-svc-agent');
    const agent = ownAgent ?? client.agent;
    const parentAgent = ownAgent === null ? client.parentAgent : this.#value('x-svc-parent-agent');
    const parentSpan = readParentSpan(this.#headers['traceparent']);
    const context: CallContext = {
      session: this.#value('x-svc-session') ?? client.sessionHash,
      agent,
      parentAgent: agent === null || parentAgent === agent ? null : parentAgent,
      run: this.#value('x-svc-run') ?? client.run ?? parentSpan?.slice(0, TRACE_ID_LENGTH) ?? null,
      requestClass: client.requestClass,
      ...(parentSpan !== null && { parentSpan }),
    };
    return { context, sessionHash: client.sessionHash, warnings: this.#warnings };
  }

  #readClient(): ClientNames {
    if (this.#headers['x-claude-code-session-id'] !== undefined) return this.#readClaudeCode();
    // Every form of Codex says who it is, each in its own words.
    if (this.#headers['originator'] !== undefined) return this.#readCodex();
    const agent = this.#headers['user-agent'] ?? '';
    if (agent.startsWith('kilo/')) return { ...NO_NAMES, sessionHash: this.#hashSession('kilo_code', 'x-session-id') };
    return agent.startsWith('opencode/') ? this.#readOpenCode() : NO_NAMES;
  }

  /** Reads the headers of OpenCode, whose sub-agents have sessions of their own. Its own service gets another header. */
  #readOpenCode(): ClientNames {
    const name = this.#headers['x-session-id'] === undefined ? 'x-opencode-session' : 'x-session-id';
    return { ...NO_NAMES, sessionHash: this.#hashSession('opencode', name) };
  }

  #readClaudeCode(): ClientNames {
    return {
      sessionHash: this.#hashSession('claude_code', 'x-claude-code-session-id'),
      agent: this.#value('x-claude-code-agent-id'),
      parentAgent: this.#value('x-claude-code-parent-agent-id'),
      run: this.#value('x-claude-code-prompt-id'),
      requestClass: this.#value('x-claude-code-request-class'),
    };
  }

  /** Reads the headers of Codex, whose main agent is the thread that has the id of the session. */
  #readCodex(): ClientNames {
    const name = this.#headers['session-id'] === undefined ? 'session_id' : 'session-id';
    const sessionHash = this.#hashSession('codex', name);
    if (sessionHash === null) return NO_NAMES;
    const main = this.#value(name);
    const thread = this.#value('thread-id');
    const parent = this.#value('x-codex-parent-thread-id');
    return {
      sessionHash,
      agent: thread === main ? null : thread,
      parentAgent: parent === main ? null : parent,
      run: this.#turnField(ROOT_TURN_ID) ?? this.#turnField(TURN_ID),
      requestClass: this.#value('x-openai-subagent') ?? this.#turnField(REQUEST_KIND),
    };
  }

  /** Returns a field of the turn's JSON object without parsing it. */
  #turnField(field: RegExp): string | null {
    const text = this.#headers['x-codex-turn-metadata'];
    const value = typeof text === 'string' ? field.exec(text)?.[1] : undefined;
    return value === undefined || value.includes(SECRET_PREFIX) ? null : value;
  }

  #hashSession(source: LocalSource, name: string): string | null {
    const id = this.#value(name);
    if (id === null) return null;
    if (id.length <= SESSION_ID_LENGTH_MAX) return hash('sha256', sessionText(source, id));
    this.#warnings.push(`the value of ${name} is longer than ${SESSION_ID_LENGTH_MAX} characters`);
    return null;
  }

  #value(name: string): string | null {
    const written = this.#headers[name];
    if (written === undefined) return null;
    const value = decodeHeader(String(written)).trim();
    const problem = value.includes(SECRET_PREFIX) ? `${name} holds a secret` : findValueProblem(name, value);
    if (problem === null) return value;
    this.#warnings.push(problem);
    return null;
  }
}

/** The turn of the person, which all threads below it share. */
const ROOT_TURN_ID = /"root_turn_id":"([\w.:-]{1,128})"/;
const TURN_ID = /"turn_id":"([\w.:-]{1,128})"/;
const REQUEST_KIND = /"request_kind":"([\w.:-]{1,128})"/;

/** W3C Trace Context: version, trace id, parent id, flags. Neither id is all zeros. */
const TRACE_PARENT = /^[\da-f]{2}-((?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2})/;
const TRACE_ID_LENGTH = 32;

/** Returns what follows the version; null = none. The standard wants malformed ones ignored. */
function readParentSpan(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? (TRACE_PARENT.exec(header)?.[1] ?? null) : null;
}
