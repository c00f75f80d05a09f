import { randomBytes } from 'node:crypto';
import type { ExpressionBuilder } from 'kysely';
import { parseEmail } from '../../domain/identity/email.ts';
import { TollbookError } from '../../domain/errors.ts';
import { parseName } from '../../domain/identity/name.ts';
import { unlessUnchanged } from '../../domain/identity/stored-value.ts';
import { hashSecret } from '../../lib/crypto/cipher.ts';
import { newId } from '../../lib/crypto/id.ts';
import { type Actor, audited, type AuditNote, auditNothing } from './audit.ts';
import { type ChangeCheck, DEFAULT_WORKSPACE, ownSetting, type RecordContext } from './context.ts';
import { revokeUserInvitations } from './revoke-invitations.ts';
import { type RevokedToken, revokeUserTokens } from './tokens.ts';
import type { RecordDb, RecordTables, RecordTransaction } from './tables.ts';

export interface User {
  readonly id: string;
  readonly name: string;
  /** In lower case and unique. */
  readonly email: string;
  readonly createdAt: number;
}

export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string;
}

/** A browser in which a user is signed in. */
interface UserSession {
  readonly id: string;
  readonly createdAt: number;
  /** Time of the last extension. */
  readonly renewedAt: number;
  readonly expiresAt: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

interface PasswordChange {
  /** Hash of the password that the user proved to know. */
  readonly from: string | null;
  readonly to: string;
  /** Also ends all sessions of the user. */
  readonly endSessions: boolean;
}

export interface UserRecords {
  /** Oldest first. */
  list(): Promise<User[]>;
  get(id: string): Promise<User | null>;
  /** @param named an id or an e-mail address */
  find(named: string): Promise<User>;
  /** null = no user has this address. */
  withEmail(email: string): Promise<User | null>;
  /** Returns the existing users, by id. */
  named(ids: readonly string[]): Promise<ReadonlyMap<string, User>>;
  /** Returns true if the default workspace has an owner. */
  claimed(): Promise<boolean>;
  /** Creates the code for the first owner and invalidates an earlier one. Throws `conflict` if an owner exists. */
  offerClaim(actor: Actor): Promise<string>;
  /** Returns true if `claim` would accept this code. */
  takesClaim(code: string): Promise<boolean>;
  /** Creates the owner of the default workspace and uses up the code. `not_found` = invalid code. */
  claim(code: string, user: NewUser): Promise<User>;
  /** Also ends all sessions of the user. */
  setPassword(id: string, passwordHash: string, actor: Actor): Promise<void>;
  /** Returns the password hash; null = no such user. */
  passwordHash(id: string): Promise<string | null>;
  /** Changes the password by the user. Throws `conflict` if the current hash is no longer `from`. */
  changePassword(id: string, change: PasswordChange): Promise<void>;
  /** Changes the name by the user. Throws `invalid` for an invalid name. */
  rename(id: string, name: string): Promise<User>;
  /** Writes an audit row for a sign-in or sign-out. @param address null = not known */
  noteSignIn(id: string, deed: 'sign_in' | 'sign_out', address: string | null): Promise<void>;
  /** Writes an audit row for a wrong password. An unknown e-mail address takes as long and writes nothing. */
  noteRefusal(email: string, address: string | null): Promise<void>;
  /** Returns active sessions, newest first. */
  sessions(id: string): Promise<UserSession[]>;
  /** Ends one session. */
  endSession(id: string, sessionId: string): Promise<void>;
  /** Ends all sessions of the user. */
  endSessions(id: string): Promise<void>;
  /** Deletes expired sessions, and the oldest sessions of this user above the maximum. */
  tidySessions(id: string): Promise<void>;
  /** Removes a user with sessions and memberships, and revokes the open invitations and tokens that they created. */
  remove(
    id: string,
    actor: Actor,
    check?: ChangeCheck<User>,
  ): Promise<{ readonly user: User; readonly revoked: readonly RevokedToken[] }>;
}

/** Concurrent sessions of one user. */
const SESSIONS_PER_USER_MAX = 50;

/**
 * Returns the session part of the user records. The authentication library creates and finds sessions; these
 * functions end them.
 */
function userSessionRecords(
  context: RecordContext,
): Pick<UserRecords, 'sessions' | 'endSession' | 'endSessions' | 'tidySessions' | 'noteSignIn' | 'noteRefusal'> {
  const { db, clock } = context;
  const now = (): string => new Date(clock()).toISOString();
  const newestFirst = (id: string) =>
    db.selectFrom('user_sessions').where('user_id', '=', id).orderBy('created_at', 'desc').orderBy('id', 'desc');
  return {
    async sessions(id) {
      const rows = await newestFirst(id).selectAll().where('expires_at', '>', now()).execute();
      return rows.map((row) => ({
        id: row.id,
        createdAt: Date.parse(row.created_at),
        renewedAt: Date.parse(row.updated_at),
        expiresAt: Date.parse(row.expires_at),
        address: row.ip_address,
        userAgent: row.user_agent,
      }));
    },
    endSession: (id, sessionId) =>
      audited(context, id, async (tx, note) => {
        const ended = tx.deleteFrom('user_sessions').where('user_id', '=', id).where('id', '=', sessionId);
        const row = await ended.returning('ip_address').executeTakeFirst();
        if (!row) throw new TollbookError('not_found', 'This session does not exist or has ended.', 'id');
        const before = { address: row.ip_address };
        await note({ workspaceId: null, action: 'user.end_session', subject: id, before, after: null });
      }),
    endSessions: (id) =>
      audited(context, id, async (tx, note) => {
        await tx.deleteFrom('user_sessions').where('user_id', '=', id).execute();
        await note({ workspaceId: null, action: 'user.end_sessions', subject: id, before: null, after: null });
      }),
    noteSignIn: (id, deed, address) => audited(context, id, (_, note) => note(signInNote(id, deed, address))),
    noteRefusal: (email, address) =>
      // Who tried a password that was wrong is not known.
      audited(context, 'system', async (tx, note) => {
        const user = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
        const refused = signInNote(user?.id ?? '', 'sign_in_refused', address);
        await (user ? note(refused) : auditNothing(tx, clock(), refused));
      }),
    async tidySessions(id) {
      await db.deleteFrom('user_sessions').where('expires_at', '<=', now()).execute();
      const kept = newestFirst(id).select('id').limit(SESSIONS_PER_USER_MAX);
      await db.deleteFrom('user_sessions').where('user_id', '=', id).where('id', 'not in', kept).execute();
    },
  };
}

function signInNote(id: string, deed: string, address: string | null): AuditNote {
  return { workspaceId: null, action: `user.${deed}`, subject: id, before: null, after: { address } };
}

const USERS_MAX = 10_000;
/** Too long to guess. */
const CODE_BYTES = 32;
/** The setting of each node that holds the hash of its code for the first owner. */
const CLAIM = 'claim.code';

function isClaim(setting: ExpressionBuilder<RecordTables, 'settings'>) {
  return setting.or([setting('name', '=', CLAIM), setting('name', 'like', `${CLAIM} %`)]);
}

/** Name that the authentication library gives to an account with a password. */
const PASSWORD_PROVIDER = 'credential';

export function userRecords(context: RecordContext): UserRecords {
  return { ...userReaders(context), ...userWriters(context), ...userSessionRecords(context) };
}

type UserWriter = 'offerClaim' | 'claim' | 'setPassword' | 'changePassword' | 'rename' | 'remove';

function userReaders({
  db,
}: RecordContext): Omit<UserRecords, UserWriter | keyof ReturnType<typeof userSessionRecords>> {
  return {
    async list() {
      return (await db.selectFrom('users').selectAll().orderBy('created_at').orderBy('id').execute()).map(toUser);
    },
    get: (id) => findUser(db, id),
    async find(named) {
      const column = named.includes('@') ? 'email' : 'id';
      const value = column === 'email' ? parseEmail(named) : named;
      const row = await db.selectFrom('users').selectAll().where(column, '=', value).executeTakeFirst();
      if (!row) throw new TollbookError('not_found', `There is no user "${named}".`);
      return toUser(row);
    },
    async withEmail(email) {
      const row = await db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
      return row ? toUser(row) : null;
    },
    passwordHash: (id) => readPasswordHash(db, id),
    async named(ids) {
      if (ids.length === 0) return new Map();
      const rows = await db.selectFrom('users').selectAll().where('id', 'in', ids).execute();
      return new Map(rows.map((row) => [row.id, toUser(row)]));
    },
    claimed: () => hasOwner(db),
    takesClaim: async (code) => !(await hasOwner(db)) && (await claimFits(db, code)),
  };
}

function userWriters(context: RecordContext): Pick<UserRecords, UserWriter> {
  const { clock } = context;
  return {
    offerClaim: (actor) =>
      audited(context, actor, async (tx, note) => {
        if (await hasOwner(tx))
          throw new TollbookError('conflict', 'This installation has an owner; members are invited.');
        const code = newCode();
        const value = hashSecret(code);
        const values = { name: ownSetting(CLAIM, context.place), value };
        await tx
          .insertInto('settings')
          .values(values)
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute();
        await note({ workspaceId: null, action: 'claim.offer', subject: 'claim', before: null, after: null });
        return code;
      }),
    claim: (code, input) => claimOwner(context, code, input),
    setPassword: (id, passwordHash, actor) =>
      audited(context, actor, async (tx, note) => {
        await writePassword(tx, id, passwordHash, clock());
        await tx.deleteFrom('user_sessions').where('user_id', '=', id).execute();
        await note(userNote('user.reset_password', id));
      }),
    changePassword: (id, { from, to, endSessions }) =>
      audited(context, id, async (tx, note) => {
        if ((await readPasswordHash(tx, id)) !== from)
          throw new TollbookError('conflict', 'The password was changed meanwhile. Try again with the new one.');
        await writePassword(tx, id, to, clock());
        if (endSessions) await tx.deleteFrom('user_sessions').where('user_id', '=', id).execute();
        await note(userNote('user.change_password', id));
      }),
    rename: (id, written) =>
      audited(context, id, async (tx, note) => {
        const before = await requireUser(tx, id);
        const user = { ...before, name: unlessUnchanged(before.name, written.trim(), () => parseName(written)) };
        if (user.name === before.name) return user;
        const values = { name: user.name, updated_at: isoTime(clock()) };
        await tx.updateTable('users').set(values).where('id', '=', id).execute();
        await note({ ...userNote('user.rename', id), before: userFacts(before), after: userFacts(user) });
        return user;
      }),
    remove: (id, actor, check) =>
      audited(context, actor, async (tx, note) => {
        const user = await requireUser(tx, id);
        check?.(user);
        await revokeUserInvitations(tx, note, clock(), { userId: id, role: null });
        const revoked = await revokeUserTokens(tx, note, clock(), { userId: id });
        for (const table of ['members', 'user_sessions', 'user_credentials'] as const)
          await tx.deleteFrom(table).where('user_id', '=', id).execute();
        await tx.deleteFrom('users').where('id', '=', id).execute();
        await note({ ...userNote('user.remove', id), before: userFacts(user) });
        return { user, revoked };
      }),
  };
}

async function claimOwner(context: RecordContext, code: string, input: NewUser): Promise<User> {
  const user = parseUser(context, input);
  return audited(context, user.id, async (tx, note) => {
    if ((await hasOwner(tx)) || !(await claimFits(tx, code)))
      throw new TollbookError(
        'not_found',
        'This link was used or replaced. While the installation has no owner, "tollbook claim" prints a new one.',
      );
    await insertUser(tx, user);
    await tx.deleteFrom('settings').where(isClaim).execute();
    const { id, createdAt } = user;
    const member = { workspace_id: DEFAULT_WORKSPACE, user_id: id, role: 'owner', since: createdAt };
    await tx.insertInto('members').values(member).execute();
    const after = { ...userFacts(user), role: 'owner' };
    await note({ workspaceId: DEFAULT_WORKSPACE, action: 'claim.accept', subject: id, before: null, after });
    return withoutPassword(user);
  });
}

async function writePassword(tx: RecordTransaction, id: string, passwordHash: string, at: number): Promise<void> {
  await requireUser(tx, id);
  const values = { password: passwordHash, updated_at: isoTime(at) };
  await tx.updateTable('user_credentials').set(values).where('user_id', '=', id).execute();
}

async function readPasswordHash(db: RecordDb, id: string): Promise<string | null> {
  const query = db.selectFrom('user_credentials').select('password').where('user_id', '=', id);
  return (await query.executeTakeFirst())?.password ?? null;
}

/** Returns a code for a link. Only its hash is stored. */
export function newCode(): string {
  return randomBytes(CODE_BYTES).toString('base64url');
}

async function hasOwner(db: RecordDb): Promise<boolean> {
  const owners = db.selectFrom('members').select('user_id').where('workspace_id', '=', DEFAULT_WORKSPACE);
  return (await owners.where('role', '=', 'owner').limit(1).executeTakeFirst()) !== undefined;
}

async function claimFits(db: RecordDb, code: string): Promise<boolean> {
  const fits = db.selectFrom('settings').select('name').where(isClaim).where('value', '=', hashSecret(code));
  return (await fits.executeTakeFirst()) !== undefined;
}

async function findUser(db: RecordDb, id: string): Promise<User | null> {
  const row = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toUser(row) : null;
}

export async function requireUser(db: RecordDb, id: string): Promise<User> {
  const user = await findUser(db, id);
  if (user) return user;
  throw new TollbookError('not_found', `There is no user "${id}".`);
}

export type ParsedUser = User & Pick<NewUser, 'passwordHash'>;

export function parseUser({ clock }: RecordContext, { name, email, passwordHash }: NewUser): ParsedUser {
  return {
    id: newId('user', clock),
    name: parseName(name),
    email: parseEmail(email),
    createdAt: clock(),
    passwordHash,
  };
}

export async function insertUser(
  tx: RecordTransaction,
  { id, name, email, createdAt, passwordHash }: ParsedUser,
): Promise<void> {
  const { count } = await tx
    .selectFrom('users')
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count >= USERS_MAX) throw new TollbookError('unprocessable', `There can be at most ${USERS_MAX} users.`);
  if (await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst())
    throw new TollbookError('conflict', 'This e-mail address has an account. Sign in, then open the link again.');
  const at = isoTime(createdAt);
  const times = { created_at: at, updated_at: at };
  await tx
    .insertInto('users')
    .values({ id, name, email, email_verified: 0, image: null, ...times })
    .execute();
  const unused = { access_token: null, refresh_token: null, id_token: null, scope: null };
  await tx
    .insertInto('user_credentials')
    .values({
      ...unused,
      ...times,
      id: `cred_${id}`,
      user_id: id,
      account_id: id,
      provider_id: PASSWORD_PROVIDER,
      password: passwordHash,
      access_token_expires_at: null,
      refresh_token_expires_at: null,
    })
    .execute();
}

function withoutPassword({ passwordHash: _hash, ...user }: ParsedUser): User {
  return user;
}

export function toUser({ id, name, email, created_at }: RecordTables['users']): User {
  return { id, name, email, createdAt: Date.parse(created_at) };
}

export function userFacts({ name, email }: User): Record<string, unknown> {
  return { name, email };
}

function userNote(action: string, id: string): AuditNote {
  return { workspaceId: null, action, subject: id, before: null, after: null };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
