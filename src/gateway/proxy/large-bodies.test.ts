import { describe, expect, test } from 'vitest';
import { TollbookError } from '../../domain/errors.ts';
import { LargeBodies } from './large-bodies.ts';

const loopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Notes every slice that is read and how each body ends. */
function open() {
  const bodies = new LargeBodies();
  const log: string[] = [];
  const gone = new Set<string>();
  function* slices(body: string, count: number, failure?: Error): Generator<undefined, string, undefined> {
    for (let slice = 1; slice <= count; slice++) {
      log.push(body);
      if (slice < count) yield;
    }
    if (failure) throw failure;
    return body;
  }
  const read = (key: string, body: string, count: number, failure?: Error, address: string | null = null): void =>
    bodies.read({
      key,
      address,
      slices: slices(body, count, failure),
      hasClientLeft: () => gone.has(body),
      abandoned: () => log.push(`${body} left`),
      done: (facts) => log.push(`${facts} done`),
      failed: (error) => log.push(`${body} ${error instanceof TollbookError ? error.type : String(error)}`),
    });
  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn++) await loopTurn();
  };
  return { read, log, gone, turns };
}

describe('large bodies', () => {
  test('of one slice are read when they arrive, one in each turn', async () => {
    const { read, log, turns } = open();
    read('k', 'a', 1);
    expect(log).toEqual(['a', 'a done']);
    read('other', 'b', 1);
    expect(log).toEqual(['a', 'a done']);
    await turns(3);
    read('k', 'c', 1);
    expect(log).toEqual(['a', 'a done', 'b', 'b done', 'c', 'c done']);
  });

  test('of many keys at one address leave turns to others', async () => {
    const { read, log, turns } = open();
    for (let key = 0; key < 100; key++) read(`flood ${key}`, 'a', 50, undefined, 'one address');
    read('other', 'x', 3, undefined, 'another');
    await turns(20);
    expect(log).toContain('x done');
    expect(log.indexOf('x done')).toBeLessThan(25);
  });

  test('of one key are read one at a time, in turn with those of other keys', async () => {
    const { read, log, turns } = open();
    read('slow', 'a', 3);
    read('slow', 'b', 2);
    read('slow', 'c', 2);
    read('other', 'x', 3);
    log.length = 0;
    await turns(20);
    expect(log).toEqual(['a', 'x', 'a', 'a done', 'x', 'b', 'x', 'x done', 'b', 'b done', 'c', 'c', 'c done']);
  });

  test('that fail, or whose client disconnects, free the turn for the next one of the key', async () => {
    const { read, log, gone, turns } = open();
    read('k', 'a', 2, new Error('broken'));
    read('k', 'b', 3);
    read('k', 'c', 2);
    gone.add('b');
    await turns(20);
    expect(log).toEqual(['a', 'a', 'a Error: broken', 'b left', 'c', 'c', 'c done']);
  });

  test('that a key sends without end are refused, and those of other keys are not', async () => {
    const { read, log, turns } = open();
    for (let sent = 0; sent < 1_500; sent++) read('flood', 'a', 100);
    read('other', 'x', 2);
    await turns(10);
    expect(log.filter((line) => line === 'a unavailable')).toHaveLength(499);
    expect(log).toContain('x done');
  });
});
