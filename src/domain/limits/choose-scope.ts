import { TollbookError } from '../errors.ts';
import type { LimitScope } from './limit.ts';

/** The short words for a scope, of which a person gives one; none = all calls of the workspace. */
export interface ScopeWords {
  /** Id or name of a wrapped key. */
  readonly key?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** `team=search` */
  readonly tag?: string | undefined;
  readonly eachTag?: string | undefined;
}

/** Throws `invalid` for two words at once; what each may say is checked where the limit is made. */
export function chooseScope({ key, provider, model, tag, eachTag }: ScopeWords): LimitScope {
  const scopes: LimitScope[] = [];
  if (key !== undefined) scopes.push({ kind: 'key', keyId: key });
  if (provider !== undefined) scopes.push({ kind: 'provider', provider });
  if (model !== undefined) scopes.push({ kind: 'model', pattern: model });
  if (tag !== undefined) scopes.push(tagScope(tag));
  if (eachTag !== undefined) scopes.push({ kind: 'each_tag', key: eachTag });
  if (scopes.length > 1)
    throw new TollbookError('invalid', 'A limit counts one thing: give a key, a provider, a model, a tag or each tag.');
  return scopes[0] ?? { kind: 'workspace' };
}

function tagScope(text: string): LimitScope {
  const at = text.indexOf('=');
  if (at > 0) return { kind: 'tag', key: text.slice(0, at), value: text.slice(at + 1) };
  throw new TollbookError(
    'invalid',
    `"${text.slice(0, 64)}" is no tag; write team=search, or count each value of team apart.`,
    'tag',
  );
}
