import { readFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { asCount, asMembers, asObject, asText, asTime, type JsonObject } from '../../lib/json/values.ts';
import { CallCollector } from '../reading/call-collector.ts';
import { readJsonDocument } from '../reading/json-document.ts';
import { JsonRowReader, type RowReceiver } from '../reading/json-rows.ts';
import {
  type LoggedCall,
  type LoggedFacts,
  loggedSession,
  resolveLoggedCalls,
  loggedNotes,
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
  warnings: (files) => loggedNotes('gemini_cli', files),
};

/** Messages of one chat. */
class ChatReceiver implements RowReceiver<LoggedFacts> {
  readonly #file: SessionFile;
  readonly #calls: CallCollector;

  constructor(file: SessionFile, before: LoggedFacts | null) {
    this.#file = file;
    this.#calls = new CallCollector(before);
    if (before === null) this.#calls.begin({ project: readProject(file.path) });
  }

  /** Reads a message, a change of the chat, or the chat itself, which in old versions contains all messages. */
  row(row: JsonObject): void {
    if (row['projectHash'] !== undefined) this.#begin(row);
    for (const list of [row['messages'], asMembers(row['$set'])['messages']])
      if (Array.isArray(list)) for (const message of list) this.#message(asMembers(message));
    this.#message(row);
  }

  unreadable(): void {
    this.#calls.unreadable();
  }

  facts(): LoggedFacts {
    return this.#calls.facts();
  }

  #begin(row: JsonObject): void {
    // A sub-agent's file is in a folder with the name of the session.
    const session = isOfSubAgent(this.#file.path) ? this.#file.sessionId : asText(row['sessionId']);
    this.#calls.begin({ session, startedAt: asTime(row['startTime']) });
  }

  #message(message: JsonObject): void {
    const [id, tokens] = [asText(message['id']), asObject(message['tokens'])];
    if (id === null || tokens === null || message['type'] !== 'gemini') return;
    this.#calls.add(toLoggedCall(id, message, tokens));
  }
}

/** Input includes what the cache had. Thoughts and prompts of tools are counted separately. */
function toLoggedCall(id: string, message: JsonObject, tokens: JsonObject): LoggedCall {
  const [cacheRead, thinking] = [asCount(tokens['cached']), asCount(tokens['thoughts'])];
  return {
    id,
    session: null,
    project: null,
    model: asText(message['model']) ?? 'unknown',
    at: asTime(message['timestamp']) ?? Number.NaN,
    input: asCount(tokens['input']) - cacheRead + asCount(tokens['tool']),
    cacheRead,
    cacheWrite: 0,
    output: asCount(tokens['output']) + thinking,
    thinking,
  };
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
