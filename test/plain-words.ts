const OPENING =
  /^(What|Who|Whose|Whether|Where|Of|As|So|Whoever|Whatever|Which|That|How|When|By|From|Up|Until|Because|Beside|At)$/;
const IDIOM =
  /\b(whoever|whatever|nobody|somebody|besides?|thereof|of wh(ich|om)|those that|c[oa]me to|under way|(is|are) told|tells|told|no more|anew|stands?)\b/i;

/** Counts of wording that a reader has to decode; each may only fall. */
export interface WordingCounts {
  /** Doc comments that begin with neither a verb nor a noun. */
  readonly danglingOpenings: number;
  /** Doc comments with a word that is out of use. */
  readonly archaicIdioms: number;
  /** Types of one word, which don't say of what they are. */
  readonly bareTypeNames: number;
  /** Functions whose names end in `Of`. */
  readonly functionsEndingInOf: number;
  /** Definitions of functions whose name is defined in another file, too. */
  readonly functionNamesInSeveralFiles: number;
}

/** Counts such wording in sources, by path and text. */
export function countWording(sources: readonly (readonly [path: string, text: string])[]): WordingCounts {
  const comments = sources.flatMap(([, text]) => docComments(text));
  const types = sources.flatMap(([, text]) =>
    names(text, /^(?:export )?(?:abstract )?(?:interface|type|class) (\w+)/gm),
  );
  const functions = sources.flatMap(([path, text]) => functionNames(text).map((name) => ({ name, path })));
  const files = new Map<string, Set<string>>();
  for (const { name, path } of functions) files.set(name, (files.get(name) ?? new Set()).add(path));
  const shared = [...files.values()].filter(({ size }) => size > 1);
  return {
    danglingOpenings: comments.filter((comment) => OPENING.test(/^[\w']+/.exec(comment)?.[0] ?? '')).length,
    archaicIdioms: comments.filter((comment) => IDIOM.test(comment)).length,
    bareTypeNames: types.filter((name) => /^[A-Z][a-z]+$/.test(name)).length,
    functionsEndingInOf: functions.filter(({ name }) => name.endsWith('Of')).length,
    functionNamesInSeveralFiles: shared.reduce((sum, { size }) => sum + size, 0),
  };
}

/** Returns the text of each doc comment before its first tag, on one line. */
function docComments(text: string): string[] {
  return [...text.matchAll(/\/\*\*([\s\S]*?)\*\//g)].flatMap(([, body = '']) => {
    const sentence = body
      .replace(/^\s*\* ?/gm, '')
      .replace(/@\w+[\s\S]*/, '')
      .trim()
      .replace(/\s+/g, ' ');
    return sentence === '' ? [] : [sentence];
  });
}

function functionNames(text: string): string[] {
  return names(text, /^(?:export )?(?:async )?function\*? (\w+)/gm);
}

function names(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name);
}
