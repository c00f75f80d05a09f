/**
 * Writes the table of providers in README.md from the list in src/providers/providers.ts. `--check` changes nothing and
 * fails when the table is not the one that would be written.
 */
import { addressSetting } from '../src/domain/identity/custom-provider.ts';
import { clientAddress } from '../src/providers/client-lines.ts';
import { PROVIDERS } from '../src/providers/providers.ts';
import { writeTable } from './table-in-page.mjs';

writeTable({
  page: 'README.md',
  name: 'providers',
  script: 'scripts/providers-table.mjs',
  head: ['provider', 'base address of clients', 'reached at', 'setting'],
  rows: PROVIDERS.map((provider) => [
    provider.name,
    `\`${clientAddress('', provider)}\``,
    `\`${provider.url}\``,
    `\`${addressSetting(provider.id)}\``,
  ]),
});
