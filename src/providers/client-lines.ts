import type { KeyCredential } from '../domain/identity/wrapped-key.ts';
import type { ClientLines, FirstCall, Provider } from './provider.ts';

/** Returns the base address for a provider's usual client library. */
export function clientAddress(baseUrl: string, { id, clientPath }: Pick<Provider, 'id' | 'clientPath'>): string {
  return `${baseUrl}/api/proxy/${id}${clientPath}`;
}

/**
 * Returns the lines for every client of a provider, a request with curl first. A key for subscriptions has the lines of
 * clients that send their login.
 */
export function clientLines(
  provider: Provider,
  baseUrl: string,
  key: string,
  credential: KeyCredential = 'provider_key',
): ClientLines[] {
  const address = clientAddress(baseUrl, provider);
  if (credential === 'subscription') return provider.subscription?.clients.map((make) => make(address, key)) ?? [];
  return [curl(provider.firstCall, address, key), ...provider.clients.map((make) => make(address, key))];
}

/** Returns a request with curl. The key comes last, because the line then has no room left in 80 columns. */
function curl({ path, body }: FirstCall, address: string, key: string): ClientLines {
  const lines = [
    `curl ${address}${path} \\`,
    '-H "content-type: application/json" \\',
    ...`-d '${body.join('\n')}' \\`.split('\n'),
    `-H "authorization: Bearer ${key}"`,
  ];
  return { client: 'curl', lines };
}

/** Lines around the creation of a client that make a complete program. */
export interface ClientProgram {
  readonly import: string;
  readonly call: readonly string[];
}

/**
 * Returns the lines of a TypeScript program.
 * @param options members of the constructor's argument, with their commas
 */
export function typescript(
  library: string,
  name: string,
  options: readonly string[],
  { import: imported, call }: ClientProgram,
): ClientLines {
  const made = [`const client = new ${name}({`, ...options.map((line) => `  ${line}`), '});'];
  return { client: `TypeScript (${library})`, lines: [imported, '', ...made, ...call] };
}

/**
 * Returns the lines of a Python program.
 * @param options named arguments of the constructor, with their commas
 */
export function python(
  library: string,
  name: string,
  options: readonly string[],
  { import: imported, call }: ClientProgram,
): ClientLines {
  const made = [`client = ${name}(`, ...options.map((line) => `    ${line}`), ')'];
  return { client: `Python (${library})`, lines: [imported, '', ...made, ...call] };
}
