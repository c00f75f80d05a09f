import { TollbookError } from '../../domain/errors.ts';
import type { Services } from '../services.ts';
import type { RequestInfo } from '../http/request-info.ts';

/** The user who is signed in. Throws `no_secret`. */
export async function requireSignedIn(visit: RequestInfo, services: Pick<Services, 'accounts'>): Promise<string> {
  return (await requireSession(visit, services)).userId;
}

/** The session that asks, and whose it is. Throws `no_secret`. */
export async function requireSession(
  visit: RequestInfo,
  { accounts }: Pick<Services, 'accounts'>,
): Promise<{ id: string; userId: string }> {
  const session = await accounts.findSession(visit, false);
  if (session) return session;
  throw new TollbookError('no_secret', 'You are not signed in, or no longer. Sign in.');
}
