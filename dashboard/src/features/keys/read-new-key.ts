import { readTags, splitList } from '../../shared/format/tags-text.ts';
import { endOfDay } from '../../shared/time/local-day.ts';
import type { FormFields } from '../../shared/ui/fields.ts';
import type { NewKey, NewRules } from './queries.ts';

/** What the form asks for. @param zone whose days are meant */
export function readNewKey(fields: FormFields, provider: string, zone: string): NewKey {
  const lastDay = fields('lastDay');
  return {
    name: fields('name'),
    provider,
    // Of the two ways to give a provider key, only the one that is shown has a field.
    providerKey: fields('providerKey') || undefined,
    providerKeyOf: fields('providerKeyOf') || undefined,
    tags: readTags(fields('tags')),
    expiresAt: lastDay === '' ? null : endOfDay(lastDay, zone),
    force: fields('force') === 'yes',
  };
}

export function readNewRules(fields: FormFields): NewRules {
  const allowModels = splitList(fields('allowModels'));
  const outputTokensMax = fields('outputTokensMax');
  if (allowModels.length === 0 && outputTokensMax === '') return null;
  return {
    ...(allowModels.length > 0 && { allowModels }),
    ...(outputTokensMax !== '' && { outputTokensMax: Number(outputTokensMax) }),
  };
}
