import type { AdminKeyShape } from '../api/contract-admin-keys.ts';
import { plainText } from './table.ts';

/** An admin key and how far its reports were read, in sentences. */
export function describeAdminKey(key: AdminKeyShape): string {
  const { id, name, provider, organization, state, problem, backfill } = key;
  const whose = organization.name ?? organization.id;
  const lines = [
    `Admin key "${plainText(name)}" (${id})`,
    `reads the reports of ${whose === null ? 'an organization' : plainText(whose)} at ${provider}.`,
  ];
  if (state === 'paused')
    lines.push(`It is paused. ${problem ?? ''}`.trim(), `Resume it: tollbook admin-keys resume ${id}`);
  else if (backfill.days < backfill.of)
    lines.push(`${backfill.days} of ${backfill.of} days were read, the newest first.`, 'See: tollbook admin-keys list');
  else lines.push('All days were read; new ones follow every five minutes.');
  return lines.join('\n');
}
