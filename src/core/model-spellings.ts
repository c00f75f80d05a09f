/**
 * The names that a pattern is tried on, in lower case: the model as asked for, without what stands before its last
 * slash (`models/`, `anthropic/`), and the name it is priced under. Another spelling must not escape a rule.
 */
export function modelSpellings(model: string, pricedModel: string | null): string[] {
  const asked = model.trim().toLowerCase();
  const spellings = [asked];
  for (const name of [bareName(asked), pricedModel?.toLowerCase() ?? asked])
    if (!spellings.includes(name)) spellings.push(name);
  return spellings;
}

function bareName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
