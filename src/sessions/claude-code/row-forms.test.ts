import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { anyRow, oddValue } from '../../../test/sessions/any-claude-row.ts';
import { RowForms } from './row-forms.ts';
import { TranscriptRowWalk } from './row-walk.ts';
import { readUsageRow } from './rows.ts';

const USAGE = { input_tokens: 3, cache_creation: { ephemeral_1h_input_tokens: 5 }, output_tokens: 310 };
const MESSAGE = { model: 'claude-opus-5', id: 'msg_1', role: 'assistant', content: [{ text: ']' }], stop_reason: null };
const ROW = {
  cwd: '/w/prøject',
  isSidechain: true,
  message: { ...MESSAGE, usage: USAGE },
  requestId: 'req_1',
  type: 'assistant',
  timestamp: '2026-09-10T10:00:00.000Z',
};
const LATER = {
  ...ROW,
  cwd: '/w/other',
  message: { ...MESSAGE, id: 'msg_2', stop_reason: 'tool_use', usage: { ...USAGE, output_tokens: 7 } },
  timestamp: '2026-09-10T11:00:00.000Z',
};

function readBy(forms: RowForms, line: string) {
  const bytes = Buffer.from(`{"before":1}\n${line}\n{"after":1}`);
  const start = bytes.indexOf('\n') + 1;
  return forms.read(bytes, start, start + Buffer.byteLength(line), false);
}

/** The same members with other values, one after another where a value stands. */
function withValues(value: unknown, values: unknown[]): unknown {
  if (Array.isArray(value)) return value.map((one) => withValues(one, values));
  if (typeof value !== 'object' || value === null) return values.length > 0 ? (values.shift() ?? value) : value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withValues(one, values)]));
}

afterEach(() => vi.restoreAllMocks());

describe('rows read by their form', () => {
  it('are what a parser makes of them, or left to a parser', () => {
    const others = fc.array(fc.option(oddValue, { freq: 8, nil: undefined }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(fc.tuple(anyRow, others), { minLength: 1, maxLength: 3 }), (rows) => {
        const forms = new RowForms();
        for (const [row, values] of rows)
          for (const one of [row, row, withValues(row, [...values]), row]) {
            const line = JSON.stringify(one);
            const found = readBy(forms, line);
            const parsed = readUsageRow(JSON.parse(line));
            if (found !== undefined) expect(found).toEqual(parsed && { ...parsed, cwd: null });
          }
      }),
      { numRuns: 1_000 },
    );
  });

  it('are walked through once', () => {
    const forms = new RowForms();
    const walk = vi.spyOn(TranscriptRowWalk.prototype, 'read');
    const user = (said: string) => `{"parentUuid":null,"type":"user","message":{"role":"user","content":"${said}"}}`;
    const lines = [JSON.stringify(ROW), user('a'), JSON.stringify(LATER), `${JSON.stringify(ROW)}\r`, user('b')];
    const found = lines.map((line) => readBy(forms, line));
    expect(found).toEqual([readUsageRow(ROW), null, readUsageRow(LATER), readUsageRow(ROW), null].map(withoutFolder));
    expect(walk).toHaveBeenCalledTimes(2);
  });

  it('need not have the form of one that Claude Code says itself', () => {
    const forms = new RowForms();
    const own = { ...ROW, message: { ...ROW.message, model: '<synthetic>' } };
    for (const row of [own, ROW, own, ROW])
      expect(readBy(forms, JSON.stringify(row))).toEqual(withoutFolder(readUsageRow(row)));
  });
});

function withoutFolder(row: ReturnType<typeof readUsageRow>) {
  return row && { ...row, cwd: null };
}
