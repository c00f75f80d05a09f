import { readTags, splitList } from '../../shared/format/tags-text.ts';
import { endOfDay } from '../../shared/time/local-day.ts';
import type { FormFields } from '../../shared/ui/fields.ts';
import { readBudgets } from './key-budgets.ts';
import { readRequiredNames } from './policy-rules.ts';
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
    budgets: readBudgets(fields),
    force: fields('force') === 'yes',
  };
}

/** Returns the policy in the form; null = the form has no rule. */
export function readNewRules(fields: FormFields): NewRules {
  const allowedModels = splitList(fields('allowedModels'));
  const requiredNames = readRequiredNames(fields);
  const [maxOutputTokens, maxSessionsPerHour] = [fields('maxOutputTokens'), fields('maxSessionsPerHour')];
  const rules = {
    ...(allowedModels.length > 0 && { allowedModels }),
    ...(maxOutputTokens !== '' && { maxOutputTokens: Number(maxOutputTokens) }),
    ...(requiredNames.length > 0 && { requiredNames }),
    ...(maxSessionsPerHour !== '' && { maxSessionsPerHour: Number(maxSessionsPerHour) }),
  };
  return Object.keys(rules).length === 0 ? null : rules;
}
