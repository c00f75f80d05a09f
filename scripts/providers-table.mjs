/**
 * Writes the table of providers in docs/clients.md from the list in src/providers/providers.ts. `--check` changes nothing and
 * fails when the table is not the one that would be written.
 */
import { addressSetting } from '../src/domain/identity/custom-provider.ts';
import { clientAddress } from '../src/providers/client-lines.ts';
import { PROVIDERS } from '../src/providers/providers.ts';
import { writeTable } from './table-in-page.mjs';

writeTable({
  page: 'docs/clients.md',
  name: 'providers',
  script: 'scripts/providers-table.mjs',
  head: ['provider', 'base URL for clients', 'URL of the provider', 'setting'],
  rows: PROVIDERS.map((provider) => [
    provider.name,
    `\`${clientAddress('', provider)}\``,
    `\`${provider.url}\``,
    `\`${addressSetting(provider.id)}\``,
  ]),
});
