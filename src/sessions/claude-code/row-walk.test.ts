import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRow } from '../../../test/sessions/any-claude-row.ts';
import { TranscriptRowWalk } from './row-walk.ts';
import { readUsageRow } from './rows.ts';

const AT = '2026-09-10T10:00:00.000Z';
const USAGE = { input_tokens: 3, output_tokens: 310 };
const ROW = {
  cwd: '/w/p',
  message: { model: 'claude-opus-5', id: 'msg_1', role: 'assistant', content: [], stop_reason: null, usage: USAGE },
  requestId: 'req_1',
  type: 'assistant',
  timestamp: AT,
};

function walked(text: string, wantsFolder = true) {
  const bytes = Buffer.from(`{"before":1}\n${text}\n{"after":1}`);
  const start = bytes.indexOf('\n') + 1;
  return new TranscriptRowWalk().read(bytes, start, start + Buffer.byteLength(text), wantsFolder);
}

describe('a row that is walked through', () => {
  it('is what a parser makes of it, or left to a parser', () => {
    fc.assert(
      fc.property(anyRow, (value) => {
        const line = JSON.stringify(value);
        const found = walked(line);
        if (found !== undefined) expect(found).toEqual(readUsageRow(JSON.parse(line)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('is read so as Claude Code writes it', () => {
    expect(walked(JSON.stringify(ROW))).toEqual(readUsageRow(ROW));
    expect(walked(`${JSON.stringify(ROW)}\r`)).toEqual(readUsageRow(ROW));
    expect(walked(JSON.stringify({ ...ROW, cwd: '/w/prøject' }), false)).toEqual(readUsageRow({ ...ROW, cwd: null }));
  });

  it('tells of no usage where it is of another type or role, whatever follows', () => {
    expect(walked('{"parentUuid":null,"type":"user","message":{"role":"user","content":"torn')).toBeNull();
    expect(walked('{"parentUuid":null,"message":{"role":"user","content":"torn')).toBeNull();
  });

  it.each([
    ['torn', JSON.stringify(ROW).slice(0, -1)],
    ['longer than one object', `${JSON.stringify(ROW)}}`],
    ['with blanks', JSON.stringify(ROW).replace('"requestId":', '"requestId": ')],
    ['with a blank before a word', `${JSON.stringify(ROW).slice(0, -1)},"isSidechain": true}`],
    ['a repetition', JSON.stringify({ ...ROW, type: 'progress', data: {} })],
    ['a copy', JSON.stringify({ ...ROW, forkedFrom: {} })],
  ])('is left to a parser when it is %s', (_, line) => {
    expect(walked(line)).toBeUndefined();
  });
});
