/** Names of the GenAI conventions for providers that have another one here; the first of a provider is sent. */
const NAMES: readonly (readonly [name: string, provider: string])[] = [
  ['gcp.gemini', 'google'],
  ['gcp.gen_ai', 'google'],
  ['gemini', 'google'],
  ['mistral_ai', 'mistral'],
  ['x_ai', 'xai'],
  ['moonshot_ai', 'moonshot'],
];
const PROVIDER = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** Returns the provider that the conventions name; `(other)` = not a name. */
export function providerFromName(name: string): string {
  const told = name.toLowerCase();
  if (!PROVIDER.test(told)) return '(other)';
  return NAMES.find(([one]) => one === told)?.[1] ?? told;
}

/** Returns a provider's name in the conventions. */
export function providerToName(provider: string): string {
  return NAMES.find(([, one]) => one === provider)?.[0] ?? provider;
}
