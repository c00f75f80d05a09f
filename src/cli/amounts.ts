const DATED = /-(?:20\d{6}|20\d{2}-\d{2}-\d{2})$/;

/** Returns a model name without its vendor and the date of its snapshot: `opus-4-5`. */
export function shortModel(model: string): string {
  return model.replace(/^claude-/, '').replace(DATED, '');
}
