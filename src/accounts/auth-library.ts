import { betterAuth } from 'better-auth';
import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/crypto/id.ts';
import type { Log } from '../lib/log.ts';
import type { RecordDb } from '../storage/records/tables.ts';

/** The functions that Tollbook needs from the authentication library, which is loaded at the first sign-in. */
export interface AuthLibrary {
  /** Handles a path of the library below `/api/auth`, as a request of the dashboard. */
  handle(request: AuthRequest): Promise<Response>;
  /** Returns the session of a cookie, with cookies that extend it; null = no valid session. */
  findSession(headers: Headers, renew: boolean): Promise<FoundSession | null>;
}

interface FoundSession {
  readonly id: string;
  readonly userId: string;
  readonly cookies: readonly string[];
}

export interface AuthRequest {
  readonly method: string;
  /** Below `/api/auth`. */
  readonly path: string;
  readonly cookie: string | null;
  readonly userAgent: string | null;
  readonly address: string | null;
  readonly body: unknown;
}

/** Hashes passwords, slowly, so that guessing takes long. */
export interface PasswordHashing {
  hash(password: string): Promise<string>;
  verify(given: { readonly hash: string; readonly password: string }): Promise<boolean>;
}

/** scrypt, off this thread. */
export const SCRYPT: PasswordHashing = { hash: hashPassword, verify: verifyPassword };

export interface AuthOptions {
  readonly hashing: PasswordHashing;
  readonly db: RecordDb;
  readonly secret: string;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}

export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 128;
/** A session ends after this time without use. */
const SESSION_SECONDS = 7 * 86_400;
/** A session in use is extended this often. */
const RENEW_SECONDS = 86_400;
const ADDRESS_HEADER = 'x-svc-client-address';
const PREFIX = '/api/auth';
const ID_PREFIXES: Readonly<Record<string, string>> = { user: 'user', session: 'ses', account: 'cred' };

export function openAuthLibrary({ db, secret, baseUrl, clock, log, hashing }: AuthOptions): AuthLibrary {
  const { origin } = new URL(baseUrl);
  const auth = betterAuth({
    appName: 'Tollbook',
    baseURL: origin,
    basePath: PREFIX,
    // Given as versions, so that no environment variable replaces it.
    secrets: [{ version: 1, value: secret }],
    // For PostgreSQL too: times are texts and booleans are 0 and 1 in both.
    database: { db, type: 'sqlite' },
    telemetry: { enabled: false },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_CHARACTERS_MIN,
      maxPasswordLength: PASSWORD_CHARACTERS_MAX,
      password: hashing,
    },
    user: { modelName: 'users', fields: { ...TIMES, emailVerified: 'email_verified' } },
    account: { modelName: 'user_credentials', fields: CREDENTIAL_FIELDS },
    session: {
      modelName: 'user_sessions',
      fields: {
        ...TIMES,
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
      },
      expiresIn: SESSION_SECONDS,
      updateAge: RENEW_SECONDS,
    },
    verification: { modelName: 'user_verifications', fields: { ...TIMES, expiresAt: 'expires_at' } },
    // Ours counts by account, too: see `attempts.ts`.
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: 'tollbook',
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: ({ model }) => newId(ID_PREFIXES[model] ?? 'auth', clock) },
    },
    logger: {
      level: 'error',
      log: (level, message) => log[level === 'error' ? 'error' : 'debug']({ part: 'sign-in' }, message),
    },
  });
  return {
    handle: (asked) => auth.handler(buildAuthRequest(asked, origin)),
    async findSession(headers, renew) {
      const { response, headers: answered } = await auth.api.getSession({
        headers,
        query: { disableRefresh: !renew },
        returnHeaders: true,
      });
      return response && { id: response.session.id, userId: response.user.id, cookies: answered.getSetCookie() };
    },
  };
}

const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;
const CREDENTIAL_FIELDS = {
  ...TIMES,
  userId: 'user_id',
  accountId: 'account_id',
  providerId: 'provider_id',
  accessToken: 'access_token',
  refreshToken: 'refresh_token',
  idToken: 'id_token',
  accessTokenExpiresAt: 'access_token_expires_at',
  refreshTokenExpiresAt: 'refresh_token_expires_at',
} as const;

/** Builds a new request for the library. The API has already checked the origin of the original request. */
function buildAuthRequest({ method, path, cookie, userAgent, address, body }: AuthRequest, origin: string): Request {
  const headers = new Headers({ origin, 'content-type': 'application/json' });
  if (cookie !== null) headers.set('cookie', cookie);
  if (userAgent !== null) headers.set('user-agent', userAgent);
  if (address !== null) headers.set(ADDRESS_HEADER, address);
  const text = body === undefined ? null : JSON.stringify(body);
  return new Request(`${origin}${PREFIX}${path}`, { method, headers, body: text });
}

/** Compares a password with a hash; false for null. */
export async function passwordFits(hashing: PasswordHashing, password: string, hash: string | null): Promise<boolean> {
  return hash !== null && (await hashing.verify({ hash, password }));
}

/** Throws `invalid` for a password that is too short or too long. */
export async function hashNewPassword(hashing: PasswordHashing, password: string): Promise<string> {
  const { length } = password;
  if (length < PASSWORD_CHARACTERS_MIN || length > PASSWORD_CHARACTERS_MAX)
    throw new TollbookError(
      'invalid',
      `A password has ${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters; several words are easy to keep in mind.`,
      'password',
    );
  return hashing.hash(password);
}
