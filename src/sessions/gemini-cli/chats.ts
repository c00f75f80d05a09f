import { readFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { asCount, asMembers, asObject, asText, asTime, type JsonObject } from '../../lib/json/values.ts';
import { readJsonDocument } from '../reading/json-document.ts';
import { JsonRowReader, type RowReceiver } from '../reading/json-rows.ts';
import {
  type LoggedCall,
  type LoggedFacts,
  loggedSession,
  NO_LOGGED_FACTS,
  resolveLoggedCalls,
  sumLoggedTokens,
  unreadableNotes,
} from '../reading/logged-calls.ts';
import type { SessionFile, SourceReader } from '../reading/source.ts';

/** Rows with usage, and the first row of a file. */
const MARKERS = ['"tokens"', '"projectHash"'];

export const CHATS: SourceReader<LoggedFacts> = {
  readWhole(file) {
    if (!file.path.endsWith('.json')) return undefined;
    const chat = new ChatReceiver(file, null);
    const document = readJsonDocument(file);
    if (document === null) chat.unreadable();
    else chat.row(asMembers(document));
    return chat.facts();
  },
  read: (file, before) => new JsonRowReader(MARKERS, new ChatReceiver(file, before)),
  resolve: (files) => resolveLoggedCalls('gemini_cli', files),
  sessionOf: loggedSession,
  warnings: (files) => unreadableNotes('Gemini CLI', files),
};

/** Messages of one chat, each by its last row. */
class ChatReceiver implements RowReceiver<LoggedFacts> {
  readonly #file: SessionFile;
  readonly #calls: Map<string, LoggedCall>;
  #facts: LoggedFacts;

  constructor(file: SessionFile, before: LoggedFacts | null) {
    this.#file = file;
    this.#facts = before ?? { ...NO_LOGGED_FACTS, project: readProject(file.path) };
    this.#calls = new Map(this.#facts.calls.map((call) => [call.id, call]));
  }

  /** Reads a message, a change of the chat, or the chat itself, which in old versions contains all messages. */
  row(row: JsonObject): void {
    if (row['projectHash'] !== undefined) this.#begin(row);
    for (const list of [row['messages'], asMembers(row['$set'])['messages']])
      if (Array.isArray(list)) for (const message of list) this.#message(asMembers(message));
    this.#message(row);
  }

  unreadable(): void {
    this.#facts = { ...this.#facts, unreadable: this.#facts.unreadable + 1 };
  }

  facts(): LoggedFacts {
    return { ...this.#facts, calls: [...this.#calls.values()] };
  }

  #begin(row: JsonObject): void {
    const { session, startedAt } = this.#facts;
    this.#facts = {
      ...this.#facts,
      // A sub-agent's file is in a folder with the name of the session.
      session: session ?? (isOfSubAgent(this.#file.path) ? this.#file.sessionId : asText(row['sessionId'])),
      startedAt: startedAt ?? asTime(row['startTime']),
    };
  }

  #message(message: JsonObject): void {
    const [id, at, tokens] = [asText(message['id']), asTime(message['timestamp']), asObject(message['tokens'])];
    if (id === null || tokens === null || message['type'] !== 'gemini') return;
    const call = at === null ? null : toLoggedCall(id, at, asText(message['model']) ?? 'unknown', tokens);
    if (call === null) this.unreadable();
    else if (sumLoggedTokens(call) > 0) this.#calls.set(id, call);
  }
}

/** Input includes what the cache had. Thoughts and prompts of tools are counted separately. */
function toLoggedCall(id: string, at: number, model: string, tokens: JsonObject): LoggedCall | null {
  const [input, cacheRead] = [asCount(tokens['input']), asCount(tokens['cached'])];
  const [output, thinking, tools] = [asCount(tokens['output']), asCount(tokens['thoughts']), asCount(tokens['tool'])];
  if (Number.isNaN(input + cacheRead + output + thinking + tools) || cacheRead > input) return null;
  const prompt = { input: input - cacheRead + tools, cacheRead, cacheWrite: 0 };
  return { id, session: null, project: null, model, at, ...prompt, output: output + thinking, thinking };
}

function isOfSubAgent(path: string): boolean {
  return basename(dirname(path)) !== 'chats';
}

/** Reads the project's folder, which newer versions write next to the chats; null = it is not there. */
function readProject(path: string): string | null {
  const end = path.lastIndexOf(`${sep}chats${sep}`);
  try {
    return asText(readFileSync(join(path.slice(0, end), '.project_root'), 'utf8').trim());
  } catch {
    return null;
  }
}
