import type { Dice } from '../simulation/dice.ts';
import { type Draft, write } from './draft.ts';

/** Longer than any value that is read. */
const PADDING = ' '.repeat(5_000);
const NUMBERS = [
  '0',
  '1',
  '2',
  '3',
  '8',
  '-1',
  '0.5',
  '8.0',
  '8.5',
  '8e0',
  '80E-1',
  '1e308',
  '4294967297',
  '9007199254740993',
  '-0',
];

type ValueForm = (value: unknown, dice: Dice) => string;

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);
const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
/** Changes every text in a value. */
const eachText = (value: unknown, change: (text: string) => string): string => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return `[${value.map((each) => eachText(each, change)).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${eachText(inner, change)}`);
  return `{${members.join(',')}}`;
};
const number = (dice: Dice): string => dice.pick(NUMBERS) ?? '1';

/** Every way to write a value; what they come to may be the same, something else, or nothing. */
const VALUE_FORMS: Readonly<Record<string, ValueForm>> = {
  plain: (value) => JSON.stringify(value),
  scalarForList: (value) => JSON.stringify(first(value)),
  listForScalar: (value) => JSON.stringify([value]),
  listInList: (value) => `[[${JSON.stringify(first(value))}]]`,
  deeper: (value) => JSON.stringify({ value }),
  deeperInList: (value) => JSON.stringify([{ value: first(value) }]),
  paddedList: (value) =>
    `[${PADDING}${listed(value)
      .map((each) => JSON.stringify(each))
      .join(',')}]`,
  paddedText: (value) => eachText(value, (text) => JSON.stringify(text + PADDING)),
  paddedBefore: (value) => eachText(value, (text) => JSON.stringify(` ${text}`)),
  paddedOutside: (value) => `${PADDING}${JSON.stringify(value)}${PADDING}`,
  enumNumber: (value, dice) => (Array.isArray(value) ? `[${number(dice)}]` : number(dice)),
  enumNumberAsText: (value, dice) => (Array.isArray(value) ? `["${number(dice)}"]` : `"${number(dice)}"`),
  number: (_value, dice) => number(dice),
  numberAsText: (value) => JSON.stringify(asText(value)),
  emptyText: () => '""',
  emptyList: () => '[]',
  emptyObject: () => '{}',
  emptyTextInList: () => '[""]',
  null: () => 'null',
  nullInList: () => '[null]',
  true: () => 'true',
  false: () => 'false',
  upper: (value) => eachText(value, (text) => JSON.stringify(text.toUpperCase())),
  capital: (value) => eachText(value, (text) => JSON.stringify(text.slice(0, 1).toUpperCase() + text.slice(1))),
  escaped: (value) => eachText(value, escaped),
  unknownWord: () => '"hologram"',
  unknownWordInList: () => '["hologram"]',
  mixedList: (value) => JSON.stringify([...listed(value), 7, 'hologram']),
  wordAmong: (value) => JSON.stringify([...listed(value), 'web_search']),
  longText: () => JSON.stringify('a'.repeat(5_000)),
};

export const FORM_NAMES = Object.keys(VALUE_FORMS);

export function valueIn(form: string, value: unknown, dice: Dice): string {
  return (VALUE_FORMS[form] ?? VALUE_FORMS['plain'])?.(value, dice) ?? 'null';
}

function escaped(text: string): string {
  return `"${Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export type Members = [string, Draft][];
type NameForm = (members: Members, name: string, value: string, dice: Dice) => void;

const put = (members: Members, name: string, text: string): void => void members.push([name, { kind: 'raw', text }]);
const spelt =
  (spell: (name: string) => string): NameForm =>
  (members, name, value) =>
    put(members, JSON.stringify(spell(name)), value);

/** Every way to write a name, and to write it twice. */
const NAME_FORMS: Readonly<Record<string, NameForm>> = {
  plain: spelt((name) => name),
  snake: spelt(snake),
  camel: spelt(camel),
  upper: spelt((name) => name.toUpperCase()),
  capital: spelt((name) => name.slice(0, 1).toUpperCase() + name.slice(1)),
  kelvin: spelt((name) => name.replace('k', '\u212a').replace('s', '\u017f')),
  underscored: spelt((name) => `_${name}_`),
  escaped: (members, name, value) => put(members, escaped(name), value),
  twice: (members, name, value, dice) => {
    put(members, JSON.stringify(name), valueIn(dice.pick(FORM_NAMES) ?? 'null', 1, dice));
    put(members, JSON.stringify(name), value);
  },
  inTwoSpellings: (members, name, value) => {
    put(members, JSON.stringify(camel(name)), 'null');
    put(members, JSON.stringify(snake(name)), value);
  },
  onceEscaped: (members, name, value) => {
    put(members, JSON.stringify(name), 'null');
    put(members, escaped(name), value);
  },
  deeper: (members, name, value) => {
    members.push(['"hologram"', { kind: 'object', members: [[JSON.stringify(name), { kind: 'raw', text: value }]] }]);
  },
};

export const NAME_FORM_NAMES = Object.keys(NAME_FORMS);

/** Puts the field there in this form, in place of what was there. */
export function putField(members: Members, form: string, name: string, value: string, dice: Dice): void {
  const before = members.findIndex(([each]) => each === JSON.stringify(name));
  if (before !== -1) members.splice(before, 1);
  (NAME_FORMS[form] ?? NAME_FORMS['plain'])?.(members, name, value, dice);
  // Where a member stands must not matter.
  if (dice.chance(0.5)) members.unshift(...members.splice(-1));
}

export function bodyText(members: Members): string {
  return write({ kind: 'object', members });
}
