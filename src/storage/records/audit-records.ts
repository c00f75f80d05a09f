import type { Actor } from './actor.ts';

export interface AuditRow {
  readonly seq: number;
  readonly at: number;
  /** null = it concerns the whole installation. */
  readonly workspaceId: string | null;
  readonly actor: Actor;
  /** For instance `key.create`. */
  readonly action: string;
  /** Id of the record. */
  readonly subject: string;
  /** The record's visible fields before and after; null = there was none. Never a secret. */
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly prevHash: string;
  readonly hash: string;
}

export interface AuditRecords {
  /**
   * Newest first, of one workspace (null = of all, for the owner), older than `before` (null = from the newest). What
   * its members did as users of the installation, such as signing in, is of the workspace too.
   */
  list(query: { workspaceId: string | null; limit: number; before: number | null }): Promise<AuditRow[]>;
  /** Checks the chain of hashes from the first row to the last. */
  verify(): Promise<AuditVerdict>;
}

export type AuditVerdict =
  | { readonly ok: true; readonly rows: number }
  | { readonly ok: false; readonly rows: number; readonly seq: number; readonly reason: string };
