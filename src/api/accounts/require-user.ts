import { TollbookError } from '../../core/errors.ts';
import type { Services } from '../services.ts';
import type { Visit } from '../visit.ts';

/** The user who is signed in. Throws `no_secret`. */
export async function requireUser(visit: Visit, { accounts }: Pick<Services, 'accounts'>): Promise<string> {
  const userId = await accounts.find(visit, false);
  if (userId !== null) return userId;
  throw new TollbookError('no_secret', 'You are not signed in, or no longer. Sign in.');
}
