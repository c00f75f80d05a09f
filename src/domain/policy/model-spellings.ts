import { familyNames, MODEL_NAME_CHARS_MAX } from '../pricing/model-names.ts';

/**
 * The names that a pattern of a policy or a limit is tried on, in lower case: the model as asked for, without what
 * stands before its last slash (`models/`, `anthropic/`), each without the mark of a snapshot (a date, `-latest`), and
 * the name it is priced under. Another spelling must not escape a rule.
 */
export function modelSpellings(model: string, pricedModel: string | null): string[] {
  const asked = model.trim().toLowerCase();
  const spellings = new Set([asked, asked.slice(asked.lastIndexOf('/') + 1)]);
  if (asked.length <= MODEL_NAME_CHARS_MAX)
    for (const spelling of spellings) for (const name of familyNames(spelling)) spellings.add(name);
  if (pricedModel !== null) spellings.add(pricedModel.toLowerCase());
  return [...spellings];
}
