/**
 * Writes docs/names.md: every public name, from the code that defines it. `--check` changes nothing and fails when a name
 * was added, changed or lost since the page was written.
 */
import { globSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import { endpoints } from '../src/api/endpoints.ts';
import { openApiDocument } from '../src/api/http/openapi.ts';
import { topics } from '../src/cli/commands.ts';
import { ALERT_TYPES } from '../src/domain/alerts/alert.ts';
import { ERROR_STATUS } from '../src/domain/errors.ts';
import { PrometheusMetrics } from '../src/gateway/prometheus.ts';
import { SQLITE_MIGRATIONS } from '../src/storage/migrations/sqlite.ts';
import { writeTable } from './table-in-page.mjs';

const PLACES_SHOWN = 3;
const MEANING_CHARACTERS_MAX = 60;
const sources = globSync('src/**/*.ts', { exclude: (path) => path.endsWith('.test.ts') })
  .toSorted()
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

function compareText(a, b) {
  return a < b ? -1 : 1;
}

/** Rows by name: where it occurs, and the first description. */
class Names {
  #rows = new Map();

  add(name, place, meaning = '') {
    const row = this.#rows.get(name) ?? { places: new Set(), meaning: '' };
    row.places.add(place);
    row.meaning ||= meaning;
    this.#rows.set(name, row);
  }

  rows() {
    return [...this.#rows]
      .toSorted(([a], [b]) => compareText(a, b))
      .map(([name, { places, meaning }]) => [
        `\`${name}\``,
        showPlaces([...places].toSorted(compareText)),
        shorten(meaning),
      ]);
  }
}

function showPlaces(places) {
  const shown = places.slice(0, PLACES_SHOWN).join(', ');
  return places.length > PLACES_SHOWN ? `${shown}, … (${places.length})` : shown;
}

function shorten(text) {
  const [clause = ''] = text.replaceAll('|', '/').split(/[;:.(]\s?/);
  return clause.length > MEANING_CHARACTERS_MAX
    ? `${clause.slice(0, clause.lastIndexOf(' ', MEANING_CHARACTERS_MAX))} …`
    : clause;
}

function readFields() {
  const names = new Names();
  const walk = (schema, place) => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [name, field] of Object.entries(schema.properties ?? {})) names.add(name, place, field.description);
    for (const [key, part] of Object.entries(schema)) if (key !== 'description') walk(part, place);
  };
  const { paths, components } = openApiDocument(endpoints, { baseUrl: '', version: '' });
  for (const [name, schema] of Object.entries(components.schemas)) walk(schema, name);
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const place = `${method.toUpperCase()} ${path}`;
      for (const { in: kind, name, schema } of operation.parameters)
        if (kind === 'query') names.add(name, place, schema.description);
      walk(operation.requestBody, place);
      walk(operation.responses, place);
    }
  return names.rows();
}

function readPaths() {
  return endpoints
    .map(({ method, path }) => `\`${method} ${path}\``)
    .toSorted(compareText)
    .map((path) => [path]);
}

async function readCommands() {
  const names = new Names();
  const program = new Command('tollbook');
  const cli = { config: () => ({}), terminal: {}, clock: () => 0 };
  for (const { name, commands } of topics) {
    const parent = name === null ? program : program.command(name);
    for (const load of Object.values(commands)) (await load())(parent, cli);
  }
  const walk = (command, words) => {
    for (const { long } of command.options) names.add(long, words);
    for (const child of command.commands) {
      const path = `${words} ${child.name()}`.trim();
      names.add(path, 'command');
      walk(child, path);
    }
  };
  walk(program, '');
  return names.rows().map(([name, places]) => [name, places]);
}

function readMatches(pattern) {
  return [...new Set([...sources.matchAll(pattern)].map(([, name]) => name))]
    .toSorted(compareText)
    .map((name) => [`\`${name}\``]);
}

function readColumns() {
  return Object.values(SQLITE_MIGRATIONS)
    .flat()
    .flatMap((sql) => {
      const [, table, columns] = /^CREATE TABLE (\w+) \(\n([\s\S]*)\n\)/.exec(sql) ?? [];
      if (table === undefined) return [];
      const names = columns.split('\n').flatMap((line) => /^\s*([a-z_][a-z0-9_]*) [A-Z]/.exec(line)?.[1] ?? []);
      return [[`\`${table}\``, names.map((name) => `\`${name}\``).join(' ')]];
    });
}

function readMetrics() {
  const { registry } = new PrometheusMetrics({}, { providers: new Map(), refusals: new Map() });
  return registry
    .getMetricsAsArray()
    .filter(({ name }) => name.startsWith('tollbook_'))
    .map(({ name, labelNames, help }) => [`\`${name}\``, labelNames.map((label) => `\`${label}\``).join(' '), help])
    .toSorted(([a], [b]) => compareText(a, b));
}

const page = (name, head, rows) =>
  writeTable({ page: 'docs/names.md', name, script: 'scripts/names-table.mjs', head, rows });
page('fields', ['name', 'where', 'meaning'], readFields());
page('paths', ['path'], readPaths());
page('headers', ['header'], readMatches(/['"`](x-svc-[a-z-]+[a-z])\b/g));
page('commands', ['word', 'where'], await readCommands());
page('settings', ['variable'], readMatches(/\b(SVC_[A-Z]+(?:_[A-Z]+)*)\b/g));
page(
  'errors',
  ['type', 'status'],
  Object.entries(ERROR_STATUS).map(([type, status]) => [`\`${type}\``, String(status)]),
);
page(
  'alerts',
  ['type'],
  ALERT_TYPES.map((type) => [`\`${type}\``]),
);
page('metrics', ['metric', 'labels', 'meaning'], readMetrics());
page('export', ['column'], readMatches(/\b(x_[A-Z]\w+):/g));
page('columns', ['table', 'columns'], readColumns());
