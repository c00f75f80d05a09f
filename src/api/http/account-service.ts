import type { RequestInfo } from './request-info.ts';

/**
 * Accounts with passwords, provided by the ledger thread. Methods read the request information and add cookies to it.
 */
export interface AccountService {
  /** Returns the user of the session; null = no valid session. `renew`: extends the session from now. */
  find(requestInfo: RequestInfo, renew: boolean): Promise<string | null>;
  /** Returns the user and the session id; null = no valid session. */
  findSession(
    requestInfo: RequestInfo,
    renew: boolean,
  ): Promise<{ readonly id: string; readonly userId: string } | null>;
  /** Counts an attempt with a password or a code. Throws `rate_limited`. */
  countAttempt(requestInfo: RequestInfo): Promise<void>;
  /** Counts uses of a valid code. Throws `rate_limited`. */
  countUse(requestInfo: RequestInfo, invitationId: string): Promise<void>;
  /** Drops counted sign-in attempts after the password of an account changed. */
  forgetAttempts(email: string): Promise<void>;
  /** Hashes a password. Throws `invalid` if it is too short or too long. */
  hashPassword(password: string): Promise<string>;
  /**
   * Signs in and returns the user's id. Throws `invalid_credentials`, the same for known and unknown email addresses,
   * or `rate_limited`.
   */
  signIn(requestInfo: RequestInfo, given: { email: string; password: string; rememberMe?: boolean }): Promise<string>;
  /** Signs out and returns the user; null = no session. */
  signOut(requestInfo: RequestInfo): Promise<string | null>;
  /**
   * Changes the password. Throws `wrong_password`, `invalid`, `conflict` or `rate_limited`, and then changes nothing.
   */
  changePassword(
    requestInfo: RequestInfo,
    userId: string,
    given: { currentPassword: string; newPassword: string; revokeOtherSessions: boolean },
  ): Promise<void>;
  /** Changes the user's own name. Throws `invalid` or `rate_limited`. */
  rename(userId: string, name: string): Promise<void>;
  /** Signs in a visitor of the demo; null = not a demo. */
  enterDemo(requestInfo: RequestInfo): Promise<string | null>;
}
