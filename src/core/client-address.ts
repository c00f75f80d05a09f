/** Their libraries append the version themselves; whoever speaks OpenAI's language expects it in the address. */
const APPENDED_BY_LIBRARY = new Set(['anthropic', 'google']);

/** What the base address of a provider's usual client library is set to. */
export function clientAddress(baseUrl: string, provider: string): string {
  const address = `${baseUrl}/api/proxy/${provider}`;
  return APPENDED_BY_LIBRARY.has(provider) ? address : `${address}/v1`;
}
