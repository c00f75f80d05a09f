import type { Actor } from './actor.ts';

/** An organization's admin key, with which its reports are read. */
export interface AdminKey {
  readonly id: string;
  readonly workspaceId: string;
  readonly provider: string;
  readonly name: string;
  /** First 8 hex digits of its SHA-256. */
  readonly fingerprint: string;
  readonly lastFour: string;
  /** As the provider says; null = it does not say. */
  readonly organizationId: string | null;
  readonly organizationName: string | null;
  readonly createdAt: number;
  /** null = it is read. */
  readonly pausedAt: number | null;
  /** A sentence, where the service paused it. */
  readonly pausedReason: string | null;
  /** Nothing is asked before. */
  readonly nextAt: number;
  /** Attempts that failed since the last that did not. */
  readonly failures: number;
  /** A sentence: what is wrong; null = nothing. */
  readonly problem: string | null;
}

export interface NewAdminKey {
  readonly workspaceId: string;
  readonly provider: string;
  readonly name: string;
  readonly key: string;
  readonly organizationId: string | null;
  readonly organizationName: string | null;
}

/** An admin key, and whose it is by what the provider says. */
export type AdminKeyReplacement = Pick<NewAdminKey, 'key' | 'organizationId' | 'organizationName'>;

/** How the last attempt went, and when the next may be. */
type AdminKeyAttempt = Pick<AdminKey, 'nextAt' | 'failures' | 'problem'>;

/** Errors are `TollbookError`s: `conflict` for an organization that the workspace is connected to already. */
export interface AdminKeyRecords {
  create(input: NewAdminKey, actor: Actor): Promise<AdminKey>;
  /** Oldest first. */
  list(workspaceId: string): Promise<AdminKey[]>;
  get(workspaceId: string, id: string): Promise<AdminKey>;
  /** Whether another workspace than the key's reads the same organization. */
  isReadElsewhere(key: AdminKey): Promise<boolean>;
  /** Idempotent. `because`: a sentence, where the service does it. */
  pause(workspaceId: string, id: string, because: string | null, actor: Actor): Promise<AdminKey>;
  /** Idempotent; what was wrong is forgotten, and it is read at once. */
  resume(workspaceId: string, id: string, actor: Actor): Promise<AdminKey>;
  /**
   * Another admin key of the same organization, which goes on where the one before was. Resumes one that the service
   * paused. Throws `conflict` for a key of another organization.
   */
  replace(workspaceId: string, id: string, key: AdminKeyReplacement, actor: Actor): Promise<AdminKey>;
  /** The key is erased at once; its rows are to be dropped, then it is to be forgotten. */
  remove(workspaceId: string, id: string, actor: Actor): Promise<void>;
  /** In clear. Throws a sentence when it can't be opened. */
  secret(id: string): Promise<string>;
  /** Of all workspaces: neither paused nor removed, and due. */
  due(now: number): Promise<AdminKey[]>;
  /** Not a person's change: no audit row. Ignored for one that is gone. */
  turned(id: string, turn: AdminKeyAttempt): Promise<void>;
  /** Ids of removed ones, of all workspaces. */
  removed(): Promise<string[]>;
  forget(id: string): Promise<void>;
}
