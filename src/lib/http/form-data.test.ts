import { describe, expect, test } from 'vitest';
import { readFormParts } from './form-data.ts';

const TYPE = 'multipart/form-data; boundary=xyz';
const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const part = (headers: string, content: string): string => `--xyz\r\n${headers}\r\n\r\n${content}\r\n`;
const field = (name: string, content: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, content);
const read = (body: string, type = TYPE): unknown =>
  readFormParts(bytes(body), type).map(({ name, isFile, start, end }) => [name, isFile, body.slice(start, end)]);

test('a form is split as the libraries of JavaScript and Python write it', async () => {
  const form = new FormData();
  form.append('model', 'whisper-1');
  form.append('timestamp_granularities[]', 'word');
  form.append('file', new File(['\r\n--not the boundary\r\n'], 'sound.wav', { type: 'audio/wav' }));
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const body = await request.text();
  expect(read(body, request.headers.get('content-type') ?? '')).toEqual([
    ['model', false, 'whisper-1'],
    ['timestamp_granularities[]', false, 'word'],
    ['file', true, '\r\n--not the boundary\r\n'],
  ]);
  // httpx writes the file's type after its name, and no line after the end.
  const file = part(
    'Content-Disposition: form-data; name="file"; filename="a.mp3"\r\nContent-Type: audio/mpeg',
    '\0\xff',
  );
  expect(read(`${field('model', '')}${file}--xyz--`)).toEqual([
    ['model', false, ''],
    ['file', true, '\0\xff'],
  ]);
  expect(read(`${field('model', 'a')}--xyz--\r\n`, 'Multipart/Form-Data; boundary="xyz"')).toEqual([
    ['model', false, 'a'],
  ]);
});

describe('a form that readers could split in different ways is refused', () => {
  const whole = `${field('model', 'a')}--xyz--\r\n`;
  test.each([
    ['another type', whole, 'application/json'],
    ['no boundary', whole, 'multipart/form-data'],
    ['two boundaries', whole, `${TYPE}; boundary=abc`],
    ['text before the first part', `x\r\n${whole}`, TYPE],
    ['text after the end', `${whole}x`, TYPE],
    ['a boundary inside a line', field('model', 'a\r\n--xyzb') + '--xyz--', TYPE],
    ['a line end without a carriage return', whole.replaceAll('\r\n', '\n'), TYPE],
    [
      'a header of another encoding',
      part('Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64', 'YQ==') + '--xyz--',
      TYPE,
    ],
    ['a name in another encoding', part(`Content-Disposition: form-data; name*=utf-8''model`, 'a') + '--xyz--', TYPE],
    ['a name with an escape', part('Content-Disposition: form-data; name="mo\\del"', 'a') + '--xyz--', TYPE],
    ['two names', part('Content-Disposition: form-data; name="a"; name="b"', 'a') + '--xyz--', TYPE],
    ['a part without a name', part('Content-Type: text/plain', 'a') + '--xyz--', TYPE],
    ['too many parts', field('a', 'b').repeat(65) + '--xyz--', TYPE],
  ])('%s', (_name, body, type) => {
    expect(() => read(body, type)).toThrow(/^(?:needs|does not|may have|is cut|has) /);
  });

  test('cut off after any byte', () => {
    for (let end = 0; end < whole.length - 2; end++)
      expect(() => read(whole.slice(0, end))).toThrow(/^(?:does not|is cut|has) /);
  });
});
