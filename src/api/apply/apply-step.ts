import { isDeepStrictEqual } from 'node:util';
import { TollbookError } from '../../domain/errors.ts';
import type { AppliedChange } from '../../contract/apply.ts';
import type { CreatedKey } from '../../contract/usage.ts';
import type { Caller } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import type { WrappedKey } from '../../storage/records/key-rows.ts';

/** One line of the plan, and what carries it out; absent = there is nothing to do. */
export interface ApplyStep {
  readonly change: AppliedChange;
  readonly run?: (run: StepRun) => Promise<void>;
  /** A variable that must be given, and the field that names it. */
  readonly needs?: { readonly variable: string; readonly field: string };
  /** Throws `invalid` when what the variable holds will not do. */
  readonly checkValue?: (value: string) => void;
}

/** What a step works with. */
export interface StepRun {
  readonly caller: Caller;
  readonly services: Services;
  /** Values of the variables, by name. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ids of wrapped keys by name; grows with the keys that are made. */
  readonly keyIds: Map<string, string>;
  readonly created: CreatedKey[];
}

/** What the plan is made from. */
export interface ApplyContext {
  readonly workspaceId: string;
  readonly services: Services;
  /** Not revoked, by name. */
  readonly keys: ReadonlyMap<string, WrappedKey>;
  readonly prune: boolean;
  readonly now: number;
}

type FieldValues = Readonly<Record<string, unknown>>;

/** What is as it would be anyhow goes without saying. */
export function create(
  kind: AppliedChange['kind'],
  name: string,
  fields: FieldValues,
  defaults: FieldValues,
): AppliedChange {
  return { ...compare(kind, name, defaults, fields), action: 'create' };
}

/** `leave` where nothing differs. */
export function compare(
  kind: AppliedChange['kind'],
  name: string,
  before: FieldValues,
  after: FieldValues,
): AppliedChange {
  const fields = Object.keys(after)
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, from: before[field] ?? null, to: after[field] }));
  return { action: fields.length > 0 ? 'change' : 'leave', kind, name, fields };
}

export function remove(kind: AppliedChange['kind'], name: string): AppliedChange {
  return { action: 'remove', kind, name, fields: [] };
}

/** Reads a part of the declaration: errors name the field where it stands in the whole. */
export function within<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw placed(path, error);
  }
}

/** The same, for what takes its time. */
export async function awaitWithin<T>(path: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw placed(path, error);
  }
}

function placed(path: string, error: unknown): unknown {
  if (!(error instanceof TollbookError)) return error;
  const param = [path, error.param].filter(Boolean).join('.');
  return new TollbookError(error.type, error.message, param);
}

export function recordId(keyIds: ReadonlyMap<string, string>, name: string): string {
  const id = keyIds.get(name);
  if (id === undefined) throw new Error(`The plan names a wrapped key that nobody made: ${name}`);
  return id;
}
