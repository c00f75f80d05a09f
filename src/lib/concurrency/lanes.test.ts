import { expect, test } from 'vitest';
import { type LaneLimits, FairLanes, type LaneTurn } from './lanes.ts';

function open(limits: Partial<LaneLimits>) {
  const lanes = new FairLanes({ totalMax: 3, perNameMax: 2, waitingMax: 2, ...limits });
  const turns: string[] = [];
  const ask = async (name: string, origin?: string): Promise<LaneTurn> => {
    const turn = await lanes.enter(name, origin);
    turns.push(`${name} ${turn}`);
    return turn;
  };
  const settled = async (): Promise<string[]> => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    return turns.splice(0);
  };
  return { lanes, ask, settled };
}

test('one name takes its share, and others pass those that wait for it', async () => {
  const { lanes, ask, settled } = open({});
  for (const name of ['a', 'a', 'a', 'b']) void ask(name);
  expect(await settled()).toEqual(['a go', 'a go', 'b go']);
  lanes.leave('b');
  expect(await settled()).toEqual([]);
  lanes.leave('a');
  expect(await settled()).toEqual(['a go']);
});

test('all names together have a maximum, and the queue is first in, first out', async () => {
  const { lanes, ask, settled } = open({ totalMax: 1 });
  for (const name of ['a', 'b', 'c']) void ask(name);
  expect(await settled()).toEqual(['a go']);
  lanes.leave('a');
  expect(await settled()).toEqual(['b go']);
  lanes.leave('b');
  expect(await settled()).toEqual(['c go']);
});

test('a full queue refuses, and so does a closing one', async () => {
  const { lanes, ask, settled } = open({ totalMax: 1, waitingMax: 1 });
  for (const name of ['a', 'b', 'c']) void ask(name);
  expect(await settled()).toEqual(['a go', 'c full']);
  lanes.close();
  void ask('d');
  expect((await settled()).toSorted()).toEqual(['b closed', 'd closed']);
});

test('one name takes its part of the queue, and another still finds a place', async () => {
  const { ask, settled } = open({ totalMax: 1, waitingMax: 3, sharesPlaces: true });
  for (const name of ['a', 'a', 'a', 'a', 'b', 'b']) void ask(name);
  expect(await settled()).toEqual(['a go', 'a full', 'b full']);
});

test('names take turns, however many of one were first', async () => {
  const { lanes, ask, settled } = open({ totalMax: 1, waitingMax: 10 });
  for (const name of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) void ask(name);
  const turns = await settled();
  for (let turn = 0; turn < 6; turn += 1) {
    lanes.leave(turns.at(-1)?.slice(0, 1) ?? '');
    turns.push(...(await settled()));
  }
  expect(turns).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a'].map((name) => `${name} go`));
});

test('an origin takes its share, under any names', async () => {
  const { lanes, ask, settled } = open({ totalMax: 3, perOriginMax: 2, waitingMax: 10 });
  for (const name of ['a', 'b', 'c']) void ask(name, 'x');
  void ask('d', 'y');
  expect(await settled()).toEqual(['a go', 'b go', 'd go']);
  lanes.leave('d', 'y');
  expect(await settled()).toEqual([]);
  lanes.leave('a', 'x');
  expect(await settled()).toEqual(['c go']);
});

test('a name or an origin that fills its share of the queue leaves others theirs', async () => {
  const { ask, settled } = open({ totalMax: 1, waitingMax: 16, sharesPlaces: true });
  void ask('first');
  for (let turn = 0; turn < 16; turn += 1) void ask('a', 'x');
  expect((await settled()).filter((turn) => turn === 'a full')).toHaveLength(8);
  for (let turn = 0; turn < 16; turn += 1) void ask(`b${turn}`, 'x');
  // Twelve of 16 from one address: then three times what is free.
  expect((await settled()).filter((turn) => turn.endsWith('full'))).toHaveLength(12);
  void ask('c', 'y');
  expect(await settled()).toEqual([]);
});

test('many names over time leave nothing behind', async () => {
  const { lanes, ask, settled } = open({ totalMax: 1, perNameMax: 1, perOriginMax: 1, waitingMax: 1 });
  for (let turn = 0; turn < 100; turn += 1) {
    void ask(`a${turn}`, 'x');
    void ask(`b${turn}`, 'x');
    expect(await settled()).toEqual([`a${turn} go`]);
    lanes.leave(`a${turn}`, 'x');
    expect(await settled()).toEqual([`b${turn} go`]);
    lanes.leave(`b${turn}`, 'x');
  }
});
