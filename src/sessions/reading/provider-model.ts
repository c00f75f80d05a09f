/** Providers that assistants name differently from price lists. Plans with a login have the provider's list price. */
const PRICE_PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'aws'],
  ['aws_bedrock', 'aws'],
  ['azure_openai', 'azure'],
  ['bedrock', 'aws'],
  ['azure-openai-responses', 'azure'],
  ['chatgpt_codex', 'openai'],
  ['fireworks-ai', 'fireworks'],
  ['gcp_vertex_ai', 'vertex'],
  ['gemini', 'google'],
  ['google-gemini-cli', 'google'],
  ['google-vertex', 'vertex'],
  ['google-vertex-anthropic', 'vertex'],
  ['moonshotai-cn', 'moonshotai'],
  ['openai-codex', 'openai'],
  ['openai-native', 'openai'],
  ['togetherai', 'together'],
  ['vertexai', 'vertex'],
  ['xai', 'x-ai'],
  ['zai-coding-plan', 'zai'],
]);

/** Makers of models, by the start of a model's name. */
const MAKERS: readonly (readonly [start: RegExp, provider: string])[] = [
  [/^claude-/, 'anthropic'],
  [/^(gpt-|o[1-9]|codex-|chatgpt-)/, 'openai'],
  [/^gemini-/, 'google'],
  [/^grok-/, 'x-ai'],
  [/^deepseek-/, 'deepseek'],
  [/^kimi-/, 'moonshotai'],
  [/^glm-/, 'zai'],
  [/^(mistral|devstral|codestral|magistral)-/, 'mistral'],
];

/** Returns the name in calls of an assistant with several providers: `<provider>/<model>`. */
export function toProviderModel(provider: string, model: string): string {
  const name = provider.toLowerCase();
  return `${PRICE_PROVIDERS.get(name) ?? name}/${model}`;
}

/**
 * Returns the same for a model whose provider the assistant does not log. It has the list price of its maker; a model of an
 * unknown maker has no price.
 */
export function toMakersModel(model: string): string {
  const maker = MAKERS.find(([start]) => start.test(model.toLowerCase()))?.[1];
  return maker === undefined ? model : `${maker}/${model}`;
}
