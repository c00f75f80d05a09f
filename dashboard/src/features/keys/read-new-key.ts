import { readTags, splitList } from '../../shared/format/tags-text.ts';
import { endOfDay } from '../../shared/time/local-day.ts';
import type { FormFields } from '../../shared/ui/fields.ts';
import type { NewKey, NewRules } from './queries.ts';

/** Reads the form of a new key. @param zone time zone of the expiry day */
export function readNewKey(fields: FormFields, provider: string, zone: string): NewKey {
  const lastDay = fields('lastDay');
  return {
    name: fields('name'),
    provider,
    // Only the chosen one of the three has a field.
    providerKey: fields('providerKey') || undefined,
    providerKeyOf: fields('providerKeyOf') || undefined,
    credential: fields('credential') === 'subscription' ? 'subscription' : undefined,
    tags: readTags(fields('tags')),
    expiresAt: lastDay === '' ? null : endOfDay(lastDay, zone),
    force: fields('force') === 'yes',
  };
}

export function readNewRules(fields: FormFields): NewRules {
  const allowedModels = splitList(fields('allowedModels'));
  const maxOutputTokens = fields('maxOutputTokens');
  if (allowedModels.length === 0 && maxOutputTokens === '') return null;
  return {
    ...(allowedModels.length > 0 && { allowedModels }),
    ...(maxOutputTokens !== '' && { maxOutputTokens: Number(maxOutputTokens) }),
  };
}
