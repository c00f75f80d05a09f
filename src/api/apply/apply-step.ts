import { isDeepStrictEqual } from 'node:util';
import { TollbookError } from '../../domain/errors.ts';
import type { AppliedChange } from '../../contract/apply.ts';
import type { CreatedKey } from '../../contract/keys.ts';
import type { Caller } from '../http/endpoint.ts';
import type { KeyServices } from '../keys.ts';
import type { LimitServices } from '../limits.ts';
import type { PriceServices } from '../prices.ts';
import type { ProviderServices } from '../providers.ts';
import type { Provider } from '../../providers/provider.ts';
import type { WebhookServices } from '../webhooks.ts';
import type { Log } from '../../lib/log.ts';
import type { WrappedKey } from '../../storage/records/key-rows.ts';

/** Services of all resources that a declaration has. */
export type ApplyServices = ProviderServices &
  PriceServices &
  KeyServices &
  LimitServices &
  WebhookServices & { readonly log: Log };

/** One change of the plan and the function that applies it; absent = nothing to do. */
export interface ApplyStep {
  readonly change: AppliedChange;
  readonly run?: (run: StepRun) => Promise<void>;
  /** An environment variable that is required, and the field that names it. */
  readonly needs?: { readonly variable: string; readonly field: string };
  /** A provider whose key is tested (the value of the variable, or none), and the field that errors name. */
  readonly tests?: { readonly provider: Provider | undefined; readonly field: string };
  /** Throws `invalid` when the variable has an unusable value. */
  readonly checkValue?: (value: string) => void;
}

/** State shared by the steps of one run. */
export interface StepRun {
  readonly caller: Caller;
  readonly services: ApplyServices;
  /** Values of the variables, by name. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ids of wrapped keys by name; steps add the keys that they create. */
  readonly keyIds: Map<string, string>;
  readonly created: CreatedKey[];
}

/** Input of the planner: the workspace as it is, and the options. */
export interface ApplyContext {
  readonly workspaceId: string;
  readonly services: ApplyServices;
  /** Providers after the run, by id. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** Active keys by name. */
  readonly keys: ReadonlyMap<string, WrappedKey>;
  readonly prune: boolean;
  readonly now: number;
}

type FieldValues = Readonly<Record<string, unknown>>;

/** Plans a creation. Fields that have their default value are not listed. */
export function create(
  kind: AppliedChange['kind'],
  name: string,
  fields: FieldValues,
  defaults: FieldValues,
): AppliedChange {
  return { ...compare(kind, name, defaults, fields), action: 'create' };
}

/** Plans an update, or `leave` if nothing differs. */
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

/** Reads a part of the declaration. Errors name the field by its path in the whole file. */
export function within<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw placed(path, error);
  }
}

/** Asynchronous variant of `within`. */
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
  if (id === undefined) throw new Error(`The plan refers to a wrapped key that was not created: ${name}`);
  return id;
}
