import { styleText } from 'node:util';
import type { CommandTerminal } from './terminal.ts';

/** Meaning of a colored text. */
export type TextTone = 'good' | 'warning' | 'bad' | 'faint' | 'strong' | 'bar';

/** Returns the text in the color of its meaning, or as it is where the terminal has no colors. */
export type PaintText = (tone: TextTone, text: string) => string;

const FORMATS = {
  good: 'green',
  warning: 'yellow',
  bad: 'red',
  faint: 'dim',
  strong: 'bold',
  bar: 'cyan',
} as const satisfies Record<TextTone, Parameters<typeof styleText>[0]>;

const OFF = new Set(['0', 'false']);

/** Reports whether standard output has colors. FORCE_COLOR wins over NO_COLOR, and both over the terminal. */
export function hasColors({ columns, env }: Pick<CommandTerminal, 'columns' | 'env'>): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: kind } = env;
  if (forced) return !OFF.has(forced);
  return !refused && kind !== 'dumb' && columns !== undefined;
}

export function createPaint(isColored: boolean): PaintText {
  return (tone, text) => (isColored && text !== '' ? styleText(FORMATS[tone], text, { validateStream: false }) : text);
}
