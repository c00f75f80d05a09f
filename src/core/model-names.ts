/** Longest model name that is looked up at all; names come from the wire. */
export const MODEL_NAME_CHARS_MAX = 200;

const CONTEXT_MARK = /\[1m\]$/;
const VENDOR = /^(?:models\/|(?:anthropic|openai|google)\/|(?:[a-z]{2,6}\.)?anthropic\.)/;
/** What may stand behind a listed name without making it another model: a date, a revision, `latest`. */
const SNAPSHOT = /(?:-20\d{6}|-20\d{2}-\d{2}-\d{2}|@20\d{6}|@default|[-@]latest|-v\d+(?::\d+)?|-00\d)$/;
const GEMINI_PREVIEW = /^(gemini-.*)-preview(?:-\d{2}-(?:\d{2}|20\d{2}))?$/;
/** `ft:gpt-4o-2024-08-06:acme::id` is priced as `ft:gpt-4o-2024-08-06`. */
const FINE_TUNE = /^(ft:[^:]+):.*$/;

/**
 * The names under which a model may be listed, the most exact first. Only what is known to mark a snapshot is left
 * off, so that an unlisted `claude-sonnet-5-7` or `gpt-5.4-tiny` never takes its shorter neighbour's price.
 */
export function* namesOf(model: string): Generator<string> {
  const name = model.toLowerCase().trim();
  yield name;
  const plain = name.replace(CONTEXT_MARK, '').replace(FINE_TUNE, '$1');
  yield* snapshotsOf(plain);
  const bare = plain.replace(VENDOR, '');
  if (bare !== plain) yield* snapshotsOf(bare);
}

/** The name under which a workspace's own price of a model is found. */
export function ownNameOf(model: string): string {
  return model.toLowerCase().replace(/-latest$/, '');
}

/** A price of the workspace's own for `priced` may be that of `model`. */
export function coversModel(priced: string, model: string): boolean {
  return [...namesOf(model)].includes(ownNameOf(priced));
}

function* snapshotsOf(name: string): Generator<string> {
  let current = name;
  for (;;) {
    yield current;
    const shorter = current.replace(SNAPSHOT, '').replace(GEMINI_PREVIEW, '$1');
    if (shorter === current || shorter === '') return;
    current = shorter;
  }
}
