/**
 * The most tokens that a model makes of one picture, whatever its size and detail; null = no figure is published.
 * OpenAI docs, "Images and vision", "Calculating costs": pictures are cut into at most eight tiles of 512 pixels, or
 * into at most 1,536 patches of 32 pixels times a factor of the model's.
 */
export function openaiImageTokensMax(model: string): number | null {
  for (const [names, tokens] of MODELS) if (names.test(model)) return tokens;
  return null;
}

const TILES_MAX = 8;
const PATCHES_MAX = 1_536;

const MODELS: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4o-mini(?:-20|$)/, 2_833 + TILES_MAX * 5_667],
  [/^(?:gpt-4\.1|gpt-5|o4)-(?:mini|nano)(?:-20|$)/, Math.ceil(PATCHES_MAX * 2.46)],
  [/^(?:gpt-4o|gpt-4\.1|gpt-4\.5-preview|gpt-4-turbo|chatgpt-4o-latest)(?:-20|$)/, 85 + TILES_MAX * 170],
  [/^(?:gpt-5|gpt-5-chat-latest|o1|o1-pro|o3)(?:-20|$)/, 75 + TILES_MAX * 150],
];
