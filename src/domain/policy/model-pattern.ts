import { familyNames, MODEL_NAME_CHARS_MAX } from '../pricing/model-names.ts';

/**
 * Compiles a pattern in which `*` matches any characters, or none. Case does not matter. Each piece between stars is
 * searched once, from left to right, so that the time is bounded for every name.
 */
export function compilePattern(text: string): (name: string) => boolean {
  const [first = '', ...rest] = text.trim().toLowerCase().split('*');
  const last = rest.pop();
  if (last === undefined) return (name) => name.toLowerCase() === first;
  const between = rest.filter((piece) => piece !== '');
  return (written) => {
    const name = written.toLowerCase();
    const end = name.length - last.length;
    if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    let from = first.length;
    for (const piece of between) {
      const at = name.indexOf(piece, from);
      if (at < 0) return false;
      from = at + piece.length;
    }
    return from <= end;
  };
}

/**
 * Suffixes that routers add to a model name: a variant (`:online`, `:nitro`) or a preset (`@preset/mine`). Fine-tuned
 * models have none.
 */
const VARIANT = /^(?!ft:|.*\/ft:)([^:@]+)[:@].*$/;

/**
 * Returns the names that an allow pattern is tested against, in lower case: the requested model, its part after the last
 * slash, each also without its snapshot mark (a date, `-latest`), and the name it is priced under.
 */
export function modelSpellings(model: string, pricedModel: string | null): string[] {
  const asked = model.trim().toLowerCase();
  const spellings = new Set([asked, asked.slice(asked.lastIndexOf('/') + 1)]);
  if (asked.length <= MODEL_NAME_CHARS_MAX)
    for (const spelling of spellings) for (const name of familyNames(spelling)) spellings.add(name);
  if (pricedModel !== null) spellings.add(pricedModel.toLowerCase());
  return [...spellings];
}

/**
 * The names that a pattern of a limit or a denial is tried on: those above, and the same without a variant. A router serves
 * and charges a variant as the model itself. Another spelling must not escape a rule.
 */
export function restrictedSpellings(model: string, pricedModel: string | null): string[] {
  const spellings = modelSpellings(model, pricedModel);
  const plain = model.trim().replace(VARIANT, '$1');
  if (plain !== model.trim()) spellings.push(...modelSpellings(plain, null));
  return [...new Set(spellings.flatMap(versionSpellings))];
}

/** Vendors write `claude-opus-4-8` where routers write `claude-opus-4.8`. */
function versionSpellings(name: string): string[] {
  const dashed = name.replaceAll(/(?<=\d)\.(?=\d)/g, '-');
  const dotted = name.replaceAll(/(?<![\d.])(\d{1,2})-(?=\d{1,2}(?!\d))/g, '$1.');
  return [name, dashed, dotted];
}

/**
 * Reports a moving alias (`gemini-flash-latest`, `~anthropic/claude-haiku-latest`) that may mean a version in the
 * pattern of a limit or a denial. Any version of the pattern's family counts.
 */
export function mayMean(model: string, pattern: string): boolean {
  const name = model.trim().toLowerCase().replace(VARIANT, '$1');
  if (!name.startsWith('~') && !MOVING_ALIAS.test(name)) return false;
  const text = pattern.trim().toLowerCase();
  if (!/\d/.test(text)) return false;
  const last = text.slice(text.lastIndexOf('/') + 1);
  const family = /[a-z]+/.exec(last)?.[0] ?? '';
  return last.startsWith('*') ? name.includes(family) : name.split(/[^a-z]+/).some((word) => word.startsWith(family));
}

const MOVING_ALIAS = /^(?:.*\/)?[a-z-]*latest$/;
