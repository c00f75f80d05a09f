import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readDatabaseFile, toDatabaseFile } from './database-file.ts';

let folder: string;
let path: string;
let writer: DatabaseSync;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'database-file-'));
  path = join(folder, 'a.db');
  writer = new DatabaseSync(path);
});
afterEach(() => {
  if (writer.isOpen) writer.close();
  rmSync(folder, { recursive: true });
});

const readNumbers = (db: DatabaseSync): unknown[] =>
  db
    .prepare('SELECT n FROM t ORDER BY n')
    .all()
    .map(({ n }) => n);

test('a database with a write-ahead log is read without a new file next to it', () => {
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n); INSERT INTO t VALUES (1)');
  writer.close();
  expect(readdirSync(folder)).toEqual(['a.db']);
  expect(readDatabaseFile(path, readNumbers)).toEqual([1]);
  expect(readdirSync(folder)).toEqual(['a.db']);
});

test('rows that are only in the write-ahead log are read, and change the size of the file', () => {
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n); PRAGMA wal_checkpoint(TRUNCATE)');
  const { size, mtimeMs } = statSync(path);
  const file = { path, size, modifiedAt: mtimeMs, inode: '' };
  writer.exec('INSERT INTO t VALUES (1)');
  expect(statSync(path).size).toBe(size);
  expect(toDatabaseFile(file).size).toBeGreaterThan(size);
  expect(readDatabaseFile(path, readNumbers)).toEqual([1]);
});

test('a locked database is read from a copy, which is deleted', () => {
  writer.exec('CREATE TABLE t (n); INSERT INTO t VALUES (1); BEGIN EXCLUSIVE; INSERT INTO t VALUES (2)');
  const copies = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('tollbook-sessions-'));
  const before = copies();
  expect(readDatabaseFile(path, readNumbers)).toEqual([1]);
  expect(copies()).toEqual(before);
});

test('a missing database is an error', () => {
  writer.close();
  expect(() => readDatabaseFile(join(folder, 'none.db'), readNumbers)).toThrow('ENOENT');
});
