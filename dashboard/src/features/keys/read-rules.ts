import type { PolicyShape } from '../../../../src/contract/limits.ts';
import { splitList } from '../../shared/format/tags-text.ts';
import type { FormFields } from '../../shared/ui/fields.ts';

/** A policy as it is sent: what was typed goes as it is where only the service can judge it. */
export type PolicyDraft = Readonly<Partial<Record<keyof PolicyShape, unknown>>>;

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** All rules of the form; an empty field allows what the provider allows. */
export function readPolicy(fields: FormFields): PolicyDraft {
  return {
    allowModels: listOrNull(fields('allowModels')),
    denyModels: splitList(fields('denyModels')),
    outputTokensMax: numberOrNull(fields('outputTokensMax')),
    requireTags: readRequired(fields('requireTags')),
    addresses: listOrNull(fields('addresses')),
    activeHours: readHours(fields),
    whenTooLarge: fields('whenTooLarge'),
    presumeUsd: fields('presumeUsd') || null,
    unpriced: fields('unpriced'),
    whenClientLeaves: fields('whenClientLeaves'),
    geo: fields('geo') || null,
    tier: fields('tier') || null,
    bodyBytesMax: numberOrNull(fields('bodyBytesMax')),
  };
}

function listOrNull(text: string): readonly string[] | null {
  const list = splitList(text);
  return list.length === 0 ? null : list;
}

function numberOrNull(text: string): number | null {
  return text === '' ? null : Number(text);
}

/** One tag in a line: `team=search,ads`, or `user` for any value. */
function readRequired(text: string): Record<string, readonly string[] | null> {
  const lines = text.split('\n').map((line) => line.trim());
  return Object.fromEntries(
    lines.filter(Boolean).map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [line, null] : [line.slice(0, at).trim(), splitList(line.slice(at + 1))];
    }),
  );
}

function readHours(fields: FormFields): unknown {
  const [from, until] = [fields('from'), fields('until')];
  if (from === '' && until === '') return null;
  const days = WEEKDAYS.filter((day) => fields(day) === 'yes');
  return { from, until, timeZone: fields('timeZone'), ...(days.length > 0 && { days }) };
}
