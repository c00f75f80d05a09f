import { expect } from 'vitest';

/** The colon in 12:30, which stays. */
const TIME_OF_DAY = /(?<=\d):(?=\d\d(?!\d))/g;

/** Fails where a reader of Markdown finds markup: with what is escaped taken out, nothing that it reads may be left. */
export function expectEscaped(text: string): void {
  const rest = text.replace(/\\[^A-Za-z0-9\s]/g, '').replace(TIME_OF_DAY, '');
  expect(rest).not.toMatch(/[\\`*_~|[\]{}<>@]|:\S|&#?\w+;|\bwww\./i);
  expect(rest).not.toMatch(/^\s*(?:[-+#=]|\d+[.)])/m);
}
