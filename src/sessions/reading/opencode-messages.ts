import { basename, dirname, join } from 'node:path';
import type { LocalSource } from '../../domain/sessions/local-call.ts';
import { asCount, asMembers, asObject, asText, type JsonObject } from '../../lib/json/values.ts';
import type { CallCollector } from './call-collector.ts';
import { readDatabaseFile, toDatabaseFile } from './database-file.ts';
import { parseJsonObject, readJsonDocument } from './json-document.ts';
import { type LoggedCall, type LoggedFacts, NO_LOGGED_FACTS } from './logged-calls.ts';
import { wholeFileReader } from './logged-reader.ts';
import { toProviderModel } from './provider-model.ts';
import type { ParsedFile, SessionFile, SourceReader } from './source.ts';
import { listFiles, walkFiles } from './walk-files.ts';

/** Answers of a database. Texts are in other tables, so that the filter cannot match one. */
const ANSWERS = `SELECT session_id AS session, data FROM message WHERE data LIKE '%"role":"assistant"%'`;

/** Finds the databases of OpenCode, or of a program made from it, and the files that older versions wrote. */
export function findOpenCodeMessages(folders: readonly string[], database: RegExp): SessionFile[] {
  return folders.flatMap((folder) => {
    const databases = listFiles(folder, (name) => database.test(name)).map(toDatabaseFile);
    const messages = walkFiles(join(folder, 'storage', 'message'), (name) => name.endsWith('.json'));
    return databases.concat(messages.map((file) => Object.assign(file, { sessionId: basename(dirname(file.path)) })));
  });
}

/** Reads messages in the format of OpenCode, which other assistants have too. */
export function openCodeReader(source: LocalSource): SourceReader<LoggedFacts> {
  const reader = wholeFileReader(source, (file, calls) => {
    if (file.path.endsWith('.db')) readDatabase(file, calls);
    else readMessage(asObject(readJsonDocument(file)), file.sessionId, calls);
  });
  return { ...reader, resolve: (files) => reader.resolve(ownersFirst(files)) };
}

/**
 * Sorts all calls so that the session that made a call is before the sessions that copied it. A fork copies messages with
 * their times. Ids of sessions descend with time.
 */
function ownersFirst(files: readonly ParsedFile<LoggedFacts>[]): ParsedFile<LoggedFacts>[] {
  const [first] = files;
  if (first === undefined) return [];
  const calls = files.flatMap(({ facts }) => facts.calls);
  const sorted = calls.toSorted(oldestSessionFirst);
  return [{ file: first.file, facts: { ...NO_LOGGED_FACTS, calls: sorted } }];
}

function oldestSessionFirst(a: LoggedCall, b: LoggedCall): number {
  const [session, other] = [a.session ?? '', b.session ?? ''];
  return session === other ? a.at - b.at : session > other ? -1 : 1;
}

function readDatabase({ path }: SessionFile, calls: CallCollector): void {
  readDatabaseFile(path, (db) => {
    for (const { session, data } of db.prepare(ANSWERS).iterate())
      readMessage(parseJsonObject(String(data)), String(session), calls);
  });
}

function readMessage(message: JsonObject | null, session: string, calls: CallCollector): void {
  if (message === null) calls.unreadable();
  else if (message['role'] === 'assistant') calls.add(toCall(message, session));
}

/** Input excludes what the cache had, and output excludes reasoning. */
function toCall(message: JsonObject, session: string): LoggedCall {
  const [tokens, time] = [asMembers(message['tokens']), asMembers(message['time'])];
  const cache = asMembers(tokens['cache']);
  const thinking = asCount(tokens['reasoning']);
  const counts = {
    input: asCount(tokens['input']),
    cacheRead: asCount(cache['read']),
    cacheWrite: asCount(cache['write']),
    output: asCount(tokens['output']) + thinking,
    thinking,
  };
  const at = asCount(time['created'] ?? Number.NaN);
  const model = toProviderModel(asText(message['providerID']) ?? 'unknown', asText(message['modelID']) ?? 'unknown');
  const id = [model, at, time['completed'], ...Object.values(counts)].join(' ');
  return { id, session, project: asText(asMembers(message['path'])['cwd']), model, at, ...counts };
}
