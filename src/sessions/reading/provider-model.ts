/** Providers that assistants name differently from price lists. Plans with a login have the provider's list price. */
const PRICE_PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'aws'],
  ['bedrock', 'aws'],
  ['azure-openai-responses', 'azure'],
  ['fireworks-ai', 'fireworks'],
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

/** Returns the name in calls of an assistant with several providers: `<provider>/<model>`. */
export function toProviderModel(provider: string, model: string): string {
  const name = provider.toLowerCase();
  return `${PRICE_PROVIDERS.get(name) ?? name}/${model}`;
}
