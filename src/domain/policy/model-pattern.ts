import { familyNames, MODEL_NAME_CHARS_MAX } from '../pricing/model-names.ts';

/**
 * Compiles a pattern in which `*` stands for any characters, also for none; letters count in any case. The pieces
 * between the stars are searched once each, from left to right: nothing is ever tried twice, whatever the name.
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

/** What a router's name adds to a model: a variant (`:online`, `:nitro`) or a preset (`@preset/mine`). No fine-tuned model. */
const VARIANT = /^(?!ft:|.*\/ft:)([^:@]+)[:@].*$/;

/**
 * The names that a pattern which allows is tried on, in lower case: the model as asked for, without what
 * stands before its last slash (`models/`, `anthropic/`), each without the mark of a snapshot (a date, `-latest`), and
 * the name it is priced under.
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
