import { TollbookError } from '../domain/errors.ts';

/** Throws `invalid` if a database on a server has no secret from the environment. */
export function requireSharedSecret(secret: string | null): void {
  if (secret !== null) return;
  throw new TollbookError(
    'invalid',
    'SVC_SECRET is not set. With PostgreSQL the master secret comes from there, the same for each process. ' +
      'For a new database make one with: openssl rand -base64 32',
    'SVC_SECRET',
  );
}
