import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalCall, LocalSource } from '../../domain/sessions/local-call.ts';
import { loadSessions } from '../reading/load-sessions.ts';
import type { ParsedFile, SessionFile } from '../reading/source.ts';
import { SOURCES } from '../reading/sources.ts';

/** Text in place of every prompt, answer and output in a fixture. */
const CANARY = 'CANARY';

/** A source with a home folder as its assistant writes it. */
export interface SourceFixture {
  readonly source: LocalSource;
  /** Folder that is copied to the home of a test. */
  readonly home: string;
  /** Completes the copied home, for example with a database. */
  readonly prepare?: (home: string) => void;
  /** The calls: `<session> <model> <input>+<cache read>+<cache write> <output>`, the oldest first. */
  readonly calls: readonly string[];
  /** Folders of the projects of the calls. */
  readonly projects: readonly (string | null)[];
  /** Notes on what is uncertain; default: none. */
  readonly notes?: readonly string[];
}

/** Tests the guarantees of every source with the real files of its assistant. */
export function describeSource({ source, home: fixture, prepare, calls, projects, notes = [] }: SourceFixture): void {
  describe(`sessions of ${source}`, () => {
    let home: string;
    beforeAll(() => {
      home = mkdtempSync(join(tmpdir(), `${source}-`));
      cpSync(fixture, home, { recursive: true });
      prepare?.(home);
    });
    afterAll(() => rmSync(home, { recursive: true }));

    const host = () => ({ home, platform: process.platform, env: {} });
    const load = (cache: string | null) => {
      const cacheFolder = cache === null ? null : join(home, 'cache', cache);
      return loadSessions({ sources: [source], host: host(), cacheFolder });
    };

    test('yield exactly the calls made, with and without a cache', async () => {
      const loaded = await load(null);
      expect(loaded.warnings).toEqual(notes);
      expect(loaded.calls.map(describeCall)).toEqual(calls);
      expect(new Set(loaded.calls.map(({ project }) => project))).toEqual(new Set(projects));
      await load('again');
      expect(await load('again')).toMatchObject({ calls: loaded.calls, warnings: notes });
    });

    test('leave no prompt, answer or output in the cache', async () => {
      await load('texts');
      const folder = join(home, 'cache', 'texts');
      for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name), 'latin1')).not.toContain(CANARY);
    });

    test('are the same in any order of files, and if every file is there twice', async () => {
      const { reader, files } = await parse();
      const expected = reader.resolve(files);
      expect(reader.resolve(files.toReversed())).toEqual(expected);
      const copies = files.map(({ file, facts }) => ({ file: { ...file, path: `${file.path}.copy` }, facts }));
      expect(reader.resolve([...files, ...copies]).map(describeCall)).toEqual(calls);
    });

    test('have the same facts when read on from any line as when read whole', async () => {
      const { reader, files } = await parse();
      for (const { file, facts } of files) {
        if (reader.readWhole?.(file) !== undefined) continue;
        const bytes = readFileSync(file.path);
        for (let cut = bytes.indexOf('\n') + 1; cut > 0 && cut < bytes.length; cut = bytes.indexOf('\n', cut) + 1) {
          const first = readFacts(reader, file, bytes.subarray(0, cut), null);
          expect(readFacts(reader, file, bytes.subarray(cut), JSON.parse(JSON.stringify(first)))).toEqual(facts);
        }
      }
    });

    async function parse() {
      const opened = await SOURCES[source]();
      const [reader, found] = [await opened.open(), await opened.find(host())];
      const files = found.map((file): ParsedFile<unknown> => {
        const facts = reader.readWhole?.(file) ?? readFacts(reader, file, readFileSync(file.path), null);
        return { file, facts };
      });
      expect(files.length).toBeGreaterThan(0);
      return { reader, files };
    }
  });
}

type OpenedReader = Awaited<ReturnType<Awaited<ReturnType<(typeof SOURCES)[LocalSource]>>['open']>>;

function readFacts(reader: OpenedReader, file: SessionFile, bytes: Buffer, before: unknown): unknown {
  const lines = reader.read(file, before);
  lines.block(bytes, 0, bytes.length);
  return lines.facts();
}

function describeCall({ sessionId, model, usage }: LocalCall): string {
  const { input = 0, cacheRead = 0, cacheWrite = 0, cacheWrite5m = 0, output = 0 } = usage.inferences[0]?.tokens ?? {};
  return `${sessionId} ${model} ${input}+${cacheRead}+${cacheWrite + cacheWrite5m} ${output}`;
}
