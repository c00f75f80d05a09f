import { basename, dirname, join } from 'node:path';
import { asCount, asMembers, asText, type JsonObject } from '../../lib/json/values.ts';
import { CallCollector } from '../reading/call-collector.ts';
import { readRelatedDocument } from '../reading/json-document.ts';
import { JsonRowReader, type RowReceiver } from '../reading/json-rows.ts';
import { type LoggedFacts, loggedNotes, loggedSession, resolveLoggedCalls } from '../reading/logged-calls.ts';
import { toProviderModel } from '../reading/provider-model.ts';
import type { SessionFile, SourceReader } from '../reading/source.ts';

/** Facts of a wire. */
export interface WireFacts extends LoggedFacts {
  /** Models by the names that the user's settings give them, as last requested. */
  readonly models: Readonly<Record<string, string>>;
}

export const WIRES: SourceReader<WireFacts> = {
  read: (file, before) => new JsonRowReader(['"usage.record"', '"llm.request"'], new WireReceiver(file, before)),
  resolve: (files) => resolveLoggedCalls('kimi_code', files),
  sessionOf: loggedSession,
  warnings: (files) => loggedNotes('kimi_code', files),
};

/** Rows of one wire. */
class WireReceiver implements RowReceiver<WireFacts> {
  readonly #agent: string;
  readonly #calls: CallCollector;
  readonly #models: Map<string, string>;

  constructor(file: SessionFile, before: WireFacts | null) {
    this.#agent = basename(dirname(file.path));
    this.#calls = new CallCollector(before);
    this.#models = new Map(Object.entries(before?.models ?? {}));
    if (before !== null) return;
    const state = readRelatedDocument(file, join(dirname(file.path), '..', '..', 'state.json'));
    const startedAt = asCount(state['createdAt']);
    this.#calls.begin({ project: asText(state['cwd']), startedAt: startedAt > 0 ? startedAt : null });
  }

  row(row: JsonObject): void {
    if (row['type'] === 'llm.request') this.#request(row);
    if (row['type'] === 'usage.record') this.#usage(row, asMembers(row['usage']));
  }

  unreadable(): void {
    this.#calls.unreadable();
  }

  facts(): WireFacts {
    return { ...this.#calls.facts(), models: Object.fromEntries(this.#models) };
  }

  #request(row: JsonObject): void {
    const [name, provider, model] = [asText(row['modelAlias']), asText(row['provider']), asText(row['model'])];
    if (name !== null && model !== null) this.#models.set(name, toProviderModel(provider ?? 'unknown', model));
  }

  /** Adds the usage of a request. A fork repeats rows with their times. */
  #usage(row: JsonObject, usage: JsonObject): void {
    const at = asCount(row['time'] ?? Number.NaN);
    const counts = {
      input: asCount(usage['inputOther']),
      cacheRead: asCount(usage['inputCacheRead']),
      cacheWrite: asCount(usage['inputCacheCreation']),
      output: asCount(usage['output']),
      thinking: 0,
    };
    const name = asText(row['model']) ?? 'unknown';
    const id = [this.#agent, at, name, ...Object.values(counts)].join(' ');
    this.#calls.add({ id, session: null, project: null, model: this.#models.get(name) ?? name, at, ...counts });
  }
}
