import { expect, test } from 'vitest';
import { escapedGrowth, normalizedGrowth } from './normalized-growth.ts';

const utf8 = (text: string): Buffer => Buffer.from(text);
const bound = (text: string): number => utf8(text).length + normalizedGrowth(utf8(text), 0, utf8(text).length);
const normalized = (text: string): number =>
  Math.max(utf8(text.normalize('NFC')).length, utf8(text.normalize('NFKC')).length);

test('no character grows beyond the bound, raw or escaped', () => {
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10_ff_ff; code++) {
    if (code >= 0xd8_00 && code < 0xe0_00) continue;
    const text = String.fromCodePoint(code);
    const most = normalized(text);
    const escaped = code <= 0xff_ff ? 6 + escapedGrowth(code) : 12;
    if (most > bound(text) || most > escaped) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

test('no letter with combining marks grows beyond the bound', () => {
  const letters = Array.from({ length: 0x20_00 }, (_, code) => String.fromCodePoint(code)).filter(
    (letter) => letter.normalize('NFD').length > 1,
  );
  const wrong: string[] = [];
  for (const letter of letters)
    for (let mark = 0x3_00; mark < 0x3_70; mark++) {
      const text = letter + String.fromCodePoint(mark);
      if (normalized(text) > bound(text)) wrong.push(text);
    }
  expect(wrong).toEqual([]);
});

test('ordinary text does not grow', () => {
  for (const text of ['Hello', 'Grüße – “quoted”…', '你好，世界。', 'Привет', '한국어', 'שלום', '😀 €'])
    expect(bound(text)).toBe(utf8(text).length);
});
