import { expect, test } from 'vitest';
import { LiveStreams } from './live-streams.ts';

/** Opens live streams with a clock that the test moves. */
function openDesk() {
  let now = 0;
  let waiting: { at: number; act: () => void }[] = [];
  const live = new LiveStreams(() => now, {
    soon: (act) => act(),
    later(act, ms) {
      const one = { at: now + ms, act };
      waiting.push(one);
      return () => void (waiting = waiting.filter((other) => other !== one));
    },
  });
  return {
    live,
    waiting: () => waiting.length,
    pass(ms: number) {
      const until = now + ms;
      for (;;) {
        const next = waiting.toSorted((a, b) => a.at - b.at).find(({ at }) => at <= until);
        if (!next) break;
        waiting = waiting.filter((other) => other !== next);
        now = next.at;
        next.act();
      }
      now = until;
    },
  };
}

const READER = { actor: 'token_1', workspaceId: 'ws_1', scopes: ['usage:read'] } as const;
const call = (workspaceId: string, callId: string) => ({ workspaceId, callId });

/** Returns the whole text of an ended stream. */
async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return await new Response(stream).text();
}

test('a stream has events of its own workspace only', async () => {
  const { live } = openDesk();
  const mine = live.open(READER);
  const other = live.open({ ...READER, workspaceId: 'ws_2' });
  live.entriesRecorded([call('ws_1', 'call_1'), call('ws_2', 'call_2'), call('ws_1', 'call_3')]);
  live.refusalsRecorded([
    { workspaceId: 'ws_2', calls: 3 },
    { workspaceId: 'ws_2', calls: 1 },
  ]);
  live.send('ws_2', 'limit', { id: 'lim_2' });
  live.close();
  expect(await textOf(mine)).toContain('event: recorded\ndata: {"count":2,"ids":["call_3","call_1"]}\n\n');
  const found = await textOf(other);
  expect(found).toContain('data: {"count":1,"ids":["call_2"]}\n\n');
  expect(found).toContain('event: limit\ndata: {"id":"lim_2"}\n\n');
  expect(found).toContain('event: refused\ndata: {"count":4}\n\n');
  expect(found).not.toContain('call_1');
});

test('a stream ends when its caller’s access ends, and only in that workspace', async () => {
  const { live } = openDesk();
  const streams = [READER, { ...READER, workspaceId: 'ws_2' }, { ...READER, actor: 'token_2' }].map((who) =>
    live.open(who),
  );
  live.dismiss(READER.actor, 'ws_1');
  live.entriesRecorded([call('ws_1', 'call_1'), call('ws_2', 'call_2')]);
  live.dismiss(READER.actor, null);
  live.entriesRecorded([call('ws_1', 'call_3'), call('ws_2', 'call_4')]);
  live.close();
  const found = (await Promise.all(streams.map(textOf))).map((text) => text.match(/call_\d/g));
  expect(found).toEqual([null, ['call_2'], ['call_1', 'call_3']]);
});

test('a batch of many calls names only the newest', async () => {
  const { live } = openDesk();
  const stream = live.open(READER);
  live.entriesRecorded(Array.from({ length: 500 }, (_, index) => call('ws_1', `call_${index}`)));
  live.close();
  const { count, ids } = JSON.parse(/event: recorded\ndata: (.*)/.exec(await textOf(stream))?.[1] ?? '') as {
    count: number;
    ids: string[];
  };
  expect([count, ids.length, ids[0]]).toEqual([500, 20, 'call_499']);
});

test('a stream starts with the age of the last event of its workspace', async () => {
  const { live, pass } = openDesk();
  live.entriesRecorded([call('ws_1', 'call_1')]);
  pass(300);
  live.send('ws_2', 'limit', { id: 'lim_2' });
  pass(200);
  const streams = ['ws_1', 'ws_2', 'ws_3'].map((workspaceId) => live.open({ ...READER, workspaceId }));
  live.close();
  const found = await Promise.all(streams.map(textOf));
  expect(found.map((text) => /"sinceLastEventMs":(\w+)/.exec(text)?.[1])).toEqual(['500', '200', 'null']);
});

test('alerts are sent only to callers who may read them', async () => {
  const { live } = openDesk();
  const streams = [live.open(READER), live.open({ ...READER, scopes: ['usage:read', 'alerts:read'] })];
  live.send('ws_1', 'alert', { id: 'al_1', change: 'raised', severity: 'warning', title: 'Half is gone' });
  live.close();
  const found = await Promise.all(streams.map(textOf));
  expect(found.map((text) => text.includes('Half is gone'))).toEqual([false, true]);
});

test('a stream sends a heartbeat every twenty seconds, and ends after five minutes', async () => {
  const { live, pass, waiting } = openDesk();
  const stream = live.open(READER);
  pass(5 * 60_000);
  const text = await textOf(stream);
  expect(text.match(/event: heartbeat/g)).toHaveLength(14);
  expect(text).toContain('data: {"at":"1970-01-01T00:00:20.000Z"}');
  expect(text.startsWith('retry: 2000\nevent: open\n')).toBe(true);
  expect(waiting()).toBe(0);
});

test('a closed stream is forgotten, and the timer stops without streams', async () => {
  const { live, waiting } = openDesk();
  await live.open(READER).cancel();
  expect(waiting()).toBe(0);
  live.entriesRecorded([call('ws_1', 'call_1')]);
});

test('a client that does not read is disconnected before its queue grows', async () => {
  const { live, waiting } = openDesk();
  const stream = live.open(READER);
  for (let turn = 0; turn < 10_000; turn += 1) live.entriesRecorded([call('ws_1', `call_${turn}`)]);
  expect(waiting()).toBe(0);
  expect((await textOf(stream)).length).toBeLessThan(70_000);
});

test('a person has a limited number of streams, and a new one can open when one ends', async () => {
  const { live } = openDesk();
  const streams = Array.from({ length: 20 }, () => live.open(READER));
  expect(() => live.open(READER)).toThrow('Too many live streams');
  await live.open({ ...READER, actor: 'token_2' }).cancel();
  await streams[0]?.cancel();
  live.open(READER);
});
