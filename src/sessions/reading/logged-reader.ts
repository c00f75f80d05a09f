import type { LocalSource } from '../../domain/sessions/local-call.ts';
import type { JsonObject } from '../../lib/json/values.ts';
import { CallCollector } from './call-collector.ts';
import { JsonRowReader } from './json-rows.ts';
import { type LoggedFacts, loggedSession, resolveLoggedCalls, loggedNotes } from './logged-calls.ts';
import type { SessionFile, SourceReader } from './source.ts';

type LoggedReader = SourceReader<LoggedFacts>;

/** Members of a reader that are the same for all sources whose calls have ids. */
function resolvedBy(source: LocalSource): Pick<LoggedReader, 'resolve' | 'sessionOf' | 'warnings'> {
  return {
    resolve: (files) => resolveLoggedCalls(source, files),
    sessionOf: loggedSession,
    warnings: (files) => loggedNotes(source, files),
  };
}

/** Returns a reader of files that are read whole whenever they change, such as databases. */
export function wholeFileReader(
  source: LocalSource,
  read: (file: SessionFile, calls: CallCollector) => void,
): LoggedReader & Required<Pick<LoggedReader, 'readWhole'>> {
  return {
    ...resolvedBy(source),
    readWhole(file) {
      const calls = new CallCollector(null);
      read(file, calls);
      return calls.facts();
    },
    read: ({ path }) => {
      throw new Error(`${path} is not read in lines`);
    },
  };
}

/**
 * Returns a reader of files of JSON lines.
 *
 * @param markers texts, one of which each relevant line contains
 */
export function rowFileReader(
  source: LocalSource,
  markers: readonly string[],
  readRow: (row: JsonObject, calls: CallCollector, file: SessionFile) => void,
): LoggedReader {
  return {
    ...resolvedBy(source),
    read(file, before) {
      const calls = new CallCollector(before);
      return new JsonRowReader(markers, {
        row: (row) => readRow(row, calls, file),
        unreadable: () => calls.unreadable(),
        facts: () => calls.facts(),
      });
    },
  };
}
