import type { AdminKeyShape } from '../contract/admin-keys.ts';
import { plainText } from './table.ts';

/** What a state is called for people. */
export const STATE_WORDS: Readonly<Record<AdminKeyShape['state'], string>> = {
  reading: 'reading',
  waiting: 'up to date',
  paused: 'paused',
  failing: 'in trouble',
};

/** The provider tells an organization's spend to all who read it. */
export const READ_ELSEWHERE = 'Another workspace reads the same organization: spend beside the gate is in both.';

/** An admin key and how far its reports were read, in sentences. */
export function describeAdminKey(key: AdminKeyShape): string {
  const { id, name, provider, organization, state, problem, backfill, sharedWithOtherWorkspaces } = key;
  const whose = organization.name ?? organization.id;
  const lines = [
    `Admin key "${plainText(name)}" (${id})`,
    `reads the reports of ${whose === null ? 'an organization' : plainText(whose)} at ${provider}.`,
  ];
  if (sharedWithOtherWorkspaces) lines.push(READ_ELSEWHERE);
  if (state === 'paused')
    lines.push(`It is paused. ${problem ?? ''}`.trim(), `Resume it: tollbook admin-keys resume ${id}`);
  else if (backfill.days < backfill.of)
    lines.push(`${backfill.days} of ${backfill.of} days were read, the newest first.`, 'See: tollbook admin-keys list');
  else lines.push('All days were read; new ones follow every five minutes.');
  return lines.join('\n');
}
