import { randomBytes } from 'node:crypto';
import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { FairLanes } from '../lib/concurrency/lanes.ts';
import type { Log } from '../lib/log.ts';
import type { Records } from '../storage/records/records.ts';
import type { RecordDb } from '../storage/records/tables.ts';
import { SignInAttempts } from './sign-in-attempts.ts';
import type { AuthLibrary, PasswordHashing } from './auth-library.ts';
import { parseAddress } from '../domain/identity/address-range.ts';

/**
 * Returns true if the `host` header is an address, a name without a dot, or our own name. A page of another site can
 * let its own name lead to this machine, and a browser would then treat us as that site.
 */
export function isOwnHost(host: string | null, baseUrl: string): boolean {
  // No browser leaves it out.
  if (host === null) return true;
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  if (hostname === new URL(baseUrl).hostname || hostname.endsWith('.localhost')) return true;
  return !hostname.includes('.') || parseAddress(hostname) !== null;
}

/** The parts of a request that sign-in needs. */
export interface AccountRequest {
  readonly headers: Headers;
  /** null = not known. */
  readonly address: string | null;
  /** `set-cookie` lines for the answer. */
  readonly cookies: string[];
}

interface CreatedSession {
  readonly userId: string;
  /** Cookies for the browser. */
  readonly cookies: readonly string[];
}

export interface AccountsOptions {
  readonly db: RecordDb;
  readonly records: Records;
  /** Public address of the service. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly demo: boolean;
  /** Default: scrypt. */
  readonly hashing?: PasswordHashing;
}

/** Without this cookie the request has no session, and the library need not be loaded. */
const SESSION_COOKIE = /(?:^|;\s*)(?:__Secure-)?tollbook\.session_token=/;
/**
 * A hash takes a tenth of a second of a core, on the threads that also resolve names and decompress answers for the
 * gateway.
 */
const HASHES_AT_ONCE = 1;
/** All of these finish within three seconds. */
const HASHES_WAITING_MAX = 30;
const BUSY_SECONDS = 3;
/** Address for hashes on behalf of someone with a code, or of the owner of the folder. */
const NO_ADDRESS = 'none';
const DEMO = { name: 'Ada Byron', email: 'ada@demo.example' };
const DEMO_PASSWORD_BYTES = 24;

/** Signs people in and out, through a library that is loaded when it is first needed: no start waits for it. */
export class Accounts {
  readonly #options: AccountsOptions;
  readonly #attempts: SignInAttempts;
  readonly #hashing = new FairLanes({
    totalMax: HASHES_AT_ONCE,
    perNameMax: HASHES_AT_ONCE,
    waitingMax: HASHES_WAITING_MAX,
  });
  #library: { readonly secret: string; readonly opened: Promise<AuthLibrary> } | null = null;
  #demoPassword: Promise<string> | null = null;

  constructor(options: AccountsOptions) {
    this.#options = options;
    this.#attempts = new SignInAttempts(options.records.attempts);
  }

  /** Returns the user of the session cookie; null = no valid session. `renew` extends the session. */
  async find(request: AccountRequest, renew: boolean): Promise<string | null> {
    return (await this.findSession(request, renew))?.userId ?? null;
  }

  /** Returns the session and its user. */
  async findSession(
    { headers, cookies }: AccountRequest,
    renew: boolean,
  ): Promise<{ id: string; userId: string } | null> {
    if (!SESSION_COOKIE.test(headers.get('cookie') ?? '')) return null;
    const library = await this.#open();
    const session = await library.findSession(headers, renew);
    if (renew) cookies.push(...(session?.cookies ?? []));
    return session;
  }

  /** Counts an attempt with a password or a code. Throws `rate_limited`. */
  async countAttempt({ address }: AccountRequest): Promise<void> {
    await this.#attempts.take(address, null);
  }

  /** Counts the use of a valid code, which may be tried with several e-mail addresses. Throws `rate_limited`. */
  async countUse({ address }: AccountRequest, invitationId: string): Promise<void> {
    await this.#attempts.takeForAccount(address, invitationId);
  }

  /** Forgets attempts at an account whose password changed. */
  async forgetAttempts(email: string): Promise<void> {
    await this.#attempts.forget(email);
  }

  /**
   * Hashes a new password. Throws `invalid` for a password that is too short or too long, `rate_limited` when too
   * many wait.
   */
  async hashPassword(password: string): Promise<string> {
    const { hashNewPassword, SCRYPT } = await import('./auth-library.ts');
    const { hashing = SCRYPT } = this.#options;
    return this.#inTurn({ address: null }, () => hashNewPassword(hashing, password));
  }

  /**
   * Signs a user in. Throws `invalid_credentials`, with the same text and after the same work for a known and an
   * unknown e-mail address. `countAttempt` has already counted the attempt for its address.
   */
  async signIn(
    request: AccountRequest,
    given: { email: string; password: string; rememberMe?: boolean },
  ): Promise<string> {
    const email = given.email.trim().toLowerCase();
    const { users } = this.#options.records;
    await this.#attempts.takeForAccount(request.address, email);
    const session = await this.#inTurn(request, () => this.#makeSession(request, { ...given, email }));
    if (!session) {
      await users.noteRefusal(email, request.address);
      throw new TollbookError('invalid_credentials', 'Wrong email or password.');
    }
    // Written before the session is handed out.
    await users.noteSignIn(session.userId, 'sign_in', request.address);
    await this.#attempts.succeeded(request.address, email);
    return this.#begin(request, session);
  }

  /** Creates a session; null = wrong password. It hashes, so call it in a turn. */
  async #makeSession(
    request: AccountRequest,
    given: { email: string; password: string; rememberMe?: boolean },
  ): Promise<CreatedSession | null> {
    const answer = await this.#ask(request, 'POST', '/sign-in/email', given);
    if (!answer.ok) return null;
    const { user } = (await answer.json()) as { user: { id: string } };
    return { userId: user.id, cookies: answer.headers.getSetCookie() };
  }

  async #begin(request: AccountRequest, { userId, cookies }: CreatedSession): Promise<string> {
    request.cookies.push(...cookies);
    await this.#options.records.users.tidySessions(userId);
    return userId;
  }

  /** Ends the session of the cookie. Returns its user; null = no valid session. */
  async signOut(request: AccountRequest): Promise<string | null> {
    const userId = await this.find(request, false);
    const answer = await this.#ask(request, 'POST', '/sign-out', {});
    request.cookies.push(...answer.headers.getSetCookie());
    if (userId !== null) await this.#options.records.users.noteSignIn(userId, 'sign_out', request.address);
    return userId;
  }

  /**
   * Changes a password. Throws `wrong_password` for a wrong current password, `invalid` for a new one that is too
   * short, too long or the same.
   */
  async changePassword(
    request: AccountRequest,
    userId: string,
    given: { currentPassword: string; newPassword: string; revokeOtherSessions: boolean },
  ): Promise<void> {
    const { users } = this.#options.records;
    const email = (await users.get(userId))?.email ?? userId;
    await this.#attempts.take(request.address, email);
    // One turn for everything, so that no one has to wait for their session after the password has changed.
    const session = await this.#inTurn(request, () => this.#replacePassword(request, { id: userId, email }, given));
    await this.#attempts.succeeded(request.address, email);
    if (session) await this.#begin(request, session);
  }

  /** Returns the new session of the user; null = they keep the current one. */
  async #replacePassword(
    request: AccountRequest,
    { id, email }: { id: string; email: string },
    given: { currentPassword: string; newPassword: string; revokeOtherSessions: boolean },
  ): Promise<CreatedSession | null> {
    const { users } = this.#options.records;
    const { hashNewPassword, passwordFits, SCRYPT } = await import('./auth-library.ts');
    const { hashing = SCRYPT } = this.#options;
    const from = await users.passwordHash(id);
    if (!(await passwordFits(hashing, given.currentPassword, from)))
      throw new TollbookError('wrong_password', 'Wrong current password.', 'currentPassword');
    if (given.newPassword === given.currentPassword)
      throw new TollbookError('invalid', 'The new password equals the current one. Choose another.', 'newPassword');
    // Checks the length.
    const to = await hashNewPassword(hashing, given.newPassword);
    await users.changePassword(id, { from, to, endSessions: given.revokeOtherSessions });
    // All sessions ended, including this one, so that a copied cookie is useless.
    return given.revokeOtherSessions ? this.#makeSession(request, { email, password: given.newPassword }) : null;
  }

  /** Throws `rate_limited`: each change is kept in the audit log forever. */
  async rename(userId: string, name: string): Promise<void> {
    await this.#attempts.takeRename(userId);
    await this.#options.records.users.rename(userId, name);
  }

  /** Signs the visitor of a demo in, unless a page of another site led here. */
  async enterDemo(request: AccountRequest): Promise<string | null> {
    const { demo, baseUrl } = this.#options;
    if (!demo || !isOwnHost(request.headers.get('host'), baseUrl)) return null;
    // Several tabs may open concurrently; only one user is created.
    this.#demoPassword ??= this.#makeDemoUser();
    // Not counted as an attempt, because there is no password to guess.
    const password = await this.#demoPassword;
    const session = await this.#inTurn(request, () => this.#makeSession(request, { email: DEMO.email, password }));
    if (!session) throw new Error('The password of the demo was changed.');
    return this.#begin(request, session);
  }

  async #makeDemoUser(): Promise<string> {
    const { users } = this.#options.records;
    const password = randomBytes(DEMO_PASSWORD_BYTES).toString('base64url');
    const code = await users.offerClaim('demo');
    await users.claim(code, { ...DEMO, passwordHash: await this.hashPassword(password) });
    return password;
  }

  /**
   * Runs a hash in turn, so that hashes leave the machine to the gateway. Throws `rate_limited` when too many wait.
   */
  async #inTurn<T>(request: Pick<AccountRequest, 'address'>, hash: () => Promise<T>): Promise<T> {
    const address = request.address ?? NO_ADDRESS;
    if ((await this.#hashing.enter(address)) !== 'go')
      throw new TollbookError('rate_limited', `Too many concurrent sign-ins. Wait ${BUSY_SECONDS} s.`, undefined, {
        retryAfter: BUSY_SECONDS,
      });
    try {
      return await hash();
    } finally {
      this.#hashing.leave(address);
    }
  }

  async #ask({ headers, address }: AccountRequest, method: string, path: string, body: unknown): Promise<Response> {
    const library = await this.#open();
    const [cookie, userAgent] = [headers.get('cookie'), headers.get('user-agent')];
    return library.handle({ method, path, cookie, userAgent, address, body });
  }

  /** Opens the library, again after a rotation of the master secret, which changes the signing secret. */
  async #open(): Promise<AuthLibrary> {
    const { records, ...rest } = this.#options;
    const secret = await records.sessionSecret();
    if (this.#library?.secret !== secret) {
      const opened = import('./auth-library.ts').then(({ openAuthLibrary: openLibrary, SCRYPT }) =>
        openLibrary({ hashing: SCRYPT, ...rest, secret }),
      );
      this.#library = { secret, opened };
    }
    return await this.#library.opened;
  }
}
