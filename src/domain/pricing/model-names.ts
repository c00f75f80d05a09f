/** Longest model name that is looked up at all; names come from the wire. */
export const MODEL_NAME_CHARS_MAX = 200;

const CONTEXT_MARK = /\[1m\]$/;
const VENDOR = /^(?:models\/|(?:anthropic|openai|google)\/|(?:[a-z]{2,6}\.)?anthropic\.)/;
/** Marks of one snapshot of a model, which costs what the model costs: a date, or Bedrock's revision. */
const SNAPSHOT = /(?:-20\d{6}|-20\d{2}-\d{2}-\d{2}|@20\d{6}|@default|-v\d+:\d+)$/;
/** Newer models of Claude have Bedrock's first revision without its second number. */
const CLAUDE_REVISION = /^((?:[a-z-]{2,8}\.)?anthropic\.claude-.*)-v1$/;
/** Regions of Bedrock's inference profiles. */
const PROFILE_REGION = /^(?:us|us-gov|eu|apac|jp|au|ca)\.(?=[a-z0-9]+\.)/;
/** Revisions of Gemini models are numbered. */
const GEMINI_REVISION = /^(gemini-.*)-00\d$/;
/** Marks that leave the family of a model as it is, though not its price: an alias, a version, a preview. */
const FAMILY_MARK = /(?:[-@]latest|-v\d+|-00\d)$/;
const GEMINI_PREVIEW = /^(gemini-.*)-preview(?:-\d{2}-(?:\d{2}|20\d{2}))?$/;
/** `ft:gpt-4o-2024-08-06:acme::id` is priced as `ft:gpt-4o-2024-08-06`. */
const FINE_TUNE = /^(ft:[^:]+):.*$/;

type ShortenName = (name: string) => string;
const withoutSnapshot: ShortenName = (name) =>
  name.replace(SNAPSHOT, '').replace(GEMINI_REVISION, '$1').replace(CLAUDE_REVISION, '$1');
const withoutMarks: ShortenName = (name) =>
  withoutSnapshot(name).replace(FAMILY_MARK, '').replace(GEMINI_PREVIEW, '$1');

/**
 * Names under which the price of a model may be listed, the most exact first. Only the mark of a snapshot is left off.
 * An alias (`gemini-pro-latest`) or a preview is a separate model: it may mean a more expensive one than its shorter
 * neighbour, and has a price only if a list has its name.
 */
export function priceNames(model: string): Generator<string> {
  return shorterNames(model, withoutSnapshot);
}

/** Names on which a rule for models is tried: wider than those of a price, so that no spelling escapes the rule. */
export function familyNames(model: string): Generator<string> {
  return shorterNames(model, withoutMarks);
}

function* shorterNames(model: string, shorten: ShortenName): Generator<string> {
  const name = model.toLowerCase().trim();
  yield name;
  const plain = name.replace(CONTEXT_MARK, '').replace(FINE_TUNE, '$1');
  yield* shortened(plain, shorten);
  const unplaced = plain.replace(PROFILE_REGION, '');
  if (unplaced !== plain) yield* shortened(unplaced, shorten);
  const bare = plain.replace(CLAUDE_REVISION, '$1').replace(VENDOR, '');
  if (bare !== plain) yield* shortened(bare, shorten);
}

function* shortened(name: string, shorten: ShortenName): Generator<string> {
  let current = name;
  for (;;) {
    yield current;
    const shorter = shorten(current);
    if (shorter === current || shorter === '') return;
    current = shorter;
  }
}

/** The name under which a custom price of a model is found. */
export function customPriceName(model: string): string {
  return model.toLowerCase();
}

/** A custom price for `priced` may be that of `model`. */
export function coversModel(priced: string, model: string): boolean {
  return [...priceNames(model)].includes(customPriceName(priced));
}
