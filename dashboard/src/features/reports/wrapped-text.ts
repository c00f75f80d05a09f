import { isolated } from '../../shared/format/isolated.ts';
import type { ReconciledOrganization } from './use-reconciliation.ts';

const SHOWN_MAX = 3;

/** By which wrapped keys the gate knows a provider's key; empty = by none of this workspace. */
export function wrappedText(key: ReconciledOrganization['lines'][number]['key']): string {
  const names = key?.wrapped ?? [];
  const more = names.length - SHOWN_MAX;
  if (names.length === 0) return '';
  return `wrapped as ${names.slice(0, SHOWN_MAX).map(isolated).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
