import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { event, eventMessage } from '../../../test/doubles/aws-events.ts';
import { EventStreamSplitter } from './event-stream.ts';

function read(bytes: Buffer, step = bytes.length) {
  const messages: [Record<string, string>, string][] = [];
  const splitter = new EventStreamSplitter({
    message: (headers, payload) =>
      void messages.push([Object.fromEntries(headers), Buffer.from(payload).toString('utf8')]),
  });
  for (let at = 0; at < bytes.length; at += step) splitter.push(bytes.subarray(at, at + step));
  return { messages, broken: splitter.broken };
}

/** A message as AWS documents it: a flag, a number, bytes and an id among its headers. */
function withEveryType(): Buffer {
  const name = (text: string) => Buffer.concat([Buffer.of(text.length), Buffer.from(text)]);
  const headers = Buffer.concat([
    name('t'),
    Buffer.of(0),
    name('b'),
    Buffer.of(2, 9),
    name('l'),
    Buffer.of(5, ...Buffer.alloc(8)),
    name('raw'),
    Buffer.of(6, 0, 2, 1, 2),
    name('id'),
    Buffer.of(9, ...Buffer.alloc(16)),
    name('text'),
    Buffer.of(7, 0, 2),
    Buffer.from('hi'),
  ]);
  const message = Buffer.alloc(16 + headers.length + 2);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(headers.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  headers.copy(message, 12);
  message.write('{}', 12 + headers.length);
  message.writeUInt32BE(crc32(message.subarray(0, message.length - 4)), message.length - 4);
  return message;
}

test('messages are read the same way whole and split at any byte', () => {
  const stream = Buffer.concat([event('one', { a: 'ä' }), withEveryType(), event('two', {}), eventMessage({}, '')]);
  const whole = read(stream);
  expect(whole).toMatchObject({ broken: false });
  expect(whole.messages.map(([, payload]) => payload)).toEqual(['{"a":"ä"}', '{}', '{}', '']);
  expect(whole.messages[1]?.[0]).toEqual({ text: 'hi' });
  for (let step = 1; step < 40; step++) expect(read(stream, step)).toEqual(whole);
});

test('a message that is cut off is not read', () => {
  const stream = event('one', { a: 1 });
  expect(read(stream.subarray(0, stream.length - 1))).toEqual({ messages: [], broken: false });
});

test.each([
  ['text', Buffer.from('<html>Not a stream of events</html>')],
  ['a message of 2 MiB', eventMessage({}, 'x'.repeat(2 ** 21))],
  [
    'headers that end beyond their length',
    ((message) => {
      message[12] = 200;
      return message;
    })(event('one', {})),
  ],
])('%s ends the reading', (_name, bytes) => {
  const { messages, broken } = read(Buffer.concat([bytes, event('two', {})]));
  expect({ messages, broken }).toEqual({ messages: [], broken: true });
});
