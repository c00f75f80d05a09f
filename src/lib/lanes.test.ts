import { expect, test } from 'vitest';
import { Lanes, type Turn } from './lanes.ts';

function open(limits: { totalMax?: number; perNameMax?: number; waitingMax?: number; waitingPerNameMax?: number }) {
  const lanes = new Lanes({ totalMax: 3, perNameMax: 2, waitingMax: 2, ...limits });
  const turns: string[] = [];
  const ask = async (name: string): Promise<Turn> => {
    const turn = await lanes.enter(name);
    turns.push(`${name} ${turn}`);
    return turn;
  };
  const settled = async (): Promise<string[]> => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    return turns.splice(0);
  };
  return { lanes, ask, settled };
}

test('one name takes its share, and others pass those who wait for it', async () => {
  const { lanes, ask, settled } = open({});
  for (const name of ['a', 'a', 'a', 'b']) void ask(name);
  expect(await settled()).toEqual(['a go', 'a go', 'b go']);
  lanes.leave('b');
  expect(await settled()).toEqual([]);
  lanes.leave('a');
  expect(await settled()).toEqual(['a go']);
});

test('all together have an end too, and the first to come is the first to go', async () => {
  const { lanes, ask, settled } = open({ totalMax: 1 });
  for (const name of ['a', 'b', 'c']) void ask(name);
  expect(await settled()).toEqual(['a go']);
  lanes.leave('a');
  expect(await settled()).toEqual(['b go']);
  lanes.leave('b');
  expect(await settled()).toEqual(['c go']);
});

test('a full queue turns away, and so does one that closes', async () => {
  const { lanes, ask, settled } = open({ totalMax: 1, waitingMax: 1 });
  for (const name of ['a', 'b', 'c']) void ask(name);
  expect(await settled()).toEqual(['a go', 'c full']);
  lanes.close();
  void ask('d');
  expect((await settled()).toSorted()).toEqual(['b closed', 'd closed']);
});

test('one name takes its part of the queue, and another still finds a place there', async () => {
  const { ask, settled } = open({ totalMax: 1, waitingMax: 3, waitingPerNameMax: 2 });
  for (const name of ['a', 'a', 'a', 'a', 'b', 'b']) void ask(name);
  expect(await settled()).toEqual(['a go', 'a full', 'b full']);
});
