import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SseSplitter } from './sse.ts';

interface Event {
  readonly name: string;
  readonly data: string;
}

function split(pieces: readonly Uint8Array[]): Event[] {
  const events: Event[] = [];
  let data: number[] = [];
  const sse = new SseSplitter({
    data: (bytes, start, end) => data.push(...bytes.subarray(start, end)),
    dispatch: (name) => {
      events.push({ name, data: new TextDecoder().decode(Uint8Array.from(data)) });
      data = [];
    },
  });
  for (const piece of pieces) sse.push(piece);
  sse.end();
  return events.filter((event) => event.name !== '' || event.data !== '');
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const bytewise = (text: string): Uint8Array[] => [...encode(text)].map((byte) => Uint8Array.of(byte));

describe('SseSplitter', () => {
  test.each<[string, string, Event[]]>([
    ['an event', 'event: a\ndata: {"x":1}\n\n', [{ name: 'a', data: '{"x":1}' }]],
    [
      'data alone',
      'data: 1\n\ndata: 2\n\n',
      [
        { name: '', data: '1' },
        { name: '', data: '2' },
      ],
    ],
    [
      'no space behind the colon, or two',
      'data:1\n\ndata:  2\n\n',
      [
        { name: '', data: '1' },
        { name: '', data: ' 2' },
      ],
    ],
    ['several lines of data', 'data: a\ndata: b\n\n', [{ name: '', data: 'a\nb' }]],
    [
      'comments and unknown fields',
      ': ping\nid: 4\nretry: 5\ndata: x\ndatabase: y\neventually: z\n\n',
      [{ name: '', data: 'x' }],
    ],
    ['the name behind the data', 'data: x\nevent: late\n\n', [{ name: 'late', data: 'x' }]],
    ['empty data', 'event: a\ndata:\n\n', [{ name: 'a', data: '' }]],
    [
      'a name that does not carry over',
      'event: a\ndata: 1\n\ndata: 2\n\n',
      [
        { name: 'a', data: '1' },
        { name: '', data: '2' },
      ],
    ],
    [
      'an event without its blank line',
      'data: 1\n\nevent: end\ndata: 2',
      [
        { name: '', data: '1' },
        { name: 'end', data: '2' },
      ],
    ],
    ['other alphabets', 'data: wörld 😀\n\n', [{ name: '', data: 'wörld 😀' }]],
  ])('splits %s, with every line end and torn anywhere', (_name, text, events) => {
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      const body = text.replaceAll('\n', lineEnd);
      expect(split([encode(body)])).toEqual(events);
      expect(split(bytewise(body))).toEqual(events);
    }
  });

  test('mixed line ends split at random are read the same', () => {
    const lines = fc.array(
      fc.tuple(fc.constantFrom('data: a', 'data: b', 'event: e', '', ': c', 'x'), fc.constantFrom('\n', '\r\n', '\r')),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(lines, (list) => {
        // A CR followed by an empty line that ends with LF is one line end, not two: keep the text free of it.
        const text = list
          .map(([line, end]) => line + end)
          .join('')
          .replaceAll('\r\n', '\n')
          .replaceAll('\r', '\n');
        const mixed = text
          .split('\n')
          .map((line, at, all) => line + (at === all.length - 1 ? '' : ['\n', '\r\n'][at % 2]))
          .join('');
        expect(split(bytewise(mixed))).toEqual(split([encode(text)]));
      }),
    );
  });

  test('the index after an event is its end in the chunk', () => {
    const ends: number[] = [];
    const sse = new SseSplitter({ data: () => {}, dispatch: (_name, at) => ends.push(at) });
    sse.push(encode('data: 1\n\ndata: 2\r\n\r\ndata'));
    sse.push(encode(': 3\n\n'));
    expect(ends).toEqual([9, 20, 5]);
  });
});
