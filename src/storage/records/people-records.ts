import type { MemberRole } from '../../domain/identity/access.ts';
import type { Actor } from './audit.ts';

/** Who signs in, what they are in which workspace, and who is invited. Times are epoch ms. */

export interface User {
  readonly id: string;
  readonly name: string;
  /** In lower case; no two users have the same. */
  readonly email: string;
  readonly createdAt: number;
}

export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string;
}

/** Where somebody is signed in. */
interface UserSession {
  readonly id: string;
  readonly createdAt: number;
  /** When it was last made to last anew. */
  readonly renewedAt: number;
  readonly expiresAt: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** An access token that goes with the right to make it. */
export interface RevokedToken {
  readonly id: string;
  readonly hash: string;
}

interface PasswordChange {
  /** The hash of the password that was shown to be known. */
  readonly from: string | null;
  readonly to: string;
  /** Signs the user out everywhere, too. */
  readonly endSessions: boolean;
}

export interface UserRecords {
  /** Oldest first. */
  list(): Promise<User[]>;
  get(id: string): Promise<User | null>;
  /** @param named an id or an e-mail address */
  find(named: string): Promise<User>;
  /** null = nobody has this address, or it is none. */
  withEmail(email: string): Promise<User | null>;
  /** Those that there are, by id. */
  named(ids: readonly string[]): Promise<ReadonlyMap<string, User>>;
  /** The default workspace has an owner. */
  claimed(): Promise<boolean>;
  /** The code that makes the first owner; one made before is void. `conflict` where there is an owner. */
  offerClaim(actor: Actor): Promise<string>;
  /** Whether `claim` would take this code. */
  takesClaim(code: string): Promise<boolean>;
  /** Makes the owner of the default workspace; the code is spent. `not_found` = it is no good. */
  claim(code: string, user: NewUser): Promise<User>;
  /** Signs the user out everywhere, too. */
  setPassword(id: string, passwordHash: string, actor: Actor): Promise<void>;
  /** What the user's password was hashed to; null = there is no such user. */
  passwordHash(id: string): Promise<string | null>;
  /** The user's own doing. `conflict` where the password is another by now than the one hashed to `from`. */
  changePassword(id: string, change: PasswordChange): Promise<void>;
  /** The user's own doing. `invalid` where it is no name. */
  rename(id: string, name: string): Promise<User>;
  /** Writes that somebody signed in or out. @param address null = not known */
  noteVisit(id: string, deed: 'sign_in' | 'sign_out', address: string | null): Promise<void>;
  /** Writes that another password was tried than that of whom the e-mail address is of. Of one that nobody has nothing is written, with as much work. */
  noteRefusal(email: string, address: string | null): Promise<void>;
  /** Those that are not over, newest first. */
  sessions(id: string): Promise<UserSession[]>;
  /** Signs the user out in one place. */
  endSession(id: string, sessionId: string): Promise<void>;
  /** Signs the user out everywhere. */
  endSessions(id: string): Promise<void>;
  /** Forgets sessions that are over, and of this user's the oldest where there are too many. */
  tidySessions(id: string): Promise<void>;
  /** With sessions, memberships, and the open invitations and tokens that they made. */
  remove(id: string, actor: Actor): Promise<{ readonly user: User; readonly revoked: readonly RevokedToken[] }>;
}

interface Membership {
  readonly workspaceId: string;
  readonly workspace: string;
  readonly timeZone: string;
  readonly role: MemberRole;
}

export interface Member {
  readonly user: User;
  readonly role: MemberRole;
  readonly since: number;
}

/** Who changes members: nobody gives or takes a role that is not theirs to give. null = the owner of the data folder. */
export interface Appointer {
  readonly actor: Actor;
  readonly role: MemberRole | null;
}

export interface MemberRecords {
  /** Oldest first. */
  of(userId: string): Promise<Membership[]>;
  /** null = no member. */
  role(workspaceId: string, userId: string): Promise<MemberRole | null>;
  /** Oldest first. */
  list(workspaceId: string): Promise<Member[]>;
  /** A workspace that has an owner keeps one. `check` is asked within the transaction and may throw. Open invitations and tokens that the new role could not make are revoked. */
  setRole(
    workspaceId: string,
    userId: string,
    role: MemberRole,
    by: Appointer,
    check?: (now: Member) => void,
  ): Promise<{ readonly member: Member; readonly revoked: readonly RevokedToken[] }>;
  /** Revokes open invitations and tokens that the member made, too. Wrapped keys stay: what calls with them goes on. */
  remove(
    workspaceId: string,
    userId: string,
    by: Appointer,
    check?: (now: Member) => void,
  ): Promise<{ readonly member: Member; readonly revoked: readonly RevokedToken[] }>;
}

export interface Invitation {
  readonly id: string;
  readonly workspaceId: string;
  readonly role: MemberRole;
  /** Who alone may use it; null = whoever has the link. */
  readonly email: string | null;
  readonly createdBy: Actor;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** A user's id. */
  readonly acceptedBy: string | null;
  readonly acceptedAt: number | null;
  readonly revokedAt: number | null;
}

interface NewInvitation {
  readonly workspaceId: string;
  readonly role: MemberRole;
  readonly email: string | null;
  readonly expiresAt: number;
}

export interface InvitationRecords {
  /** The code is returned here and never again. */
  create(input: NewInvitation, by: Appointer): Promise<{ readonly invitation: Invitation; readonly code: string }>;
  /** Newest first. */
  list(workspaceId: string): Promise<Invitation[]>;
  /** Idempotent. */
  revoke(workspaceId: string, id: string, by: Appointer): Promise<Invitation>;
  /** One that can still be used; null = there is none with this code. */
  open(code: string): Promise<Invitation | null>;
  /** Makes a member of somebody who has an account, or of somebody new. `not_found` = the code is no good. */
  accept(code: string, who: { readonly userId: string } | NewUser): Promise<User>;
}
