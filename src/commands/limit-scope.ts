import type { Command } from 'commander';
import { TollbookError } from '../core/errors.ts';
import type { LimitScope } from '../core/limit.ts';

/** Options that say which calls a limit counts; none = all of the workspace. */
export interface ScopeOptions {
  readonly key?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly tag?: string;
  readonly eachTag?: string;
}

export function scopeOptions(command: Command): Command {
  return command
    .option('--key <id>', 'counts the calls of a wrapped key')
    .option('--provider <id>', 'counts the calls to a provider')
    .option('--model <pattern>', 'counts the calls of models, for instance claude-*')
    .option('--tag <key=value>', 'counts the calls with a tag')
    .option('--each-tag <key>', 'counts every value of a tag apart, under the same amount');
}

export function readScope({ key, provider, model, tag, eachTag }: ScopeOptions): LimitScope {
  const scopes: LimitScope[] = [];
  if (key !== undefined) scopes.push({ kind: 'key', keyId: key });
  if (provider !== undefined) scopes.push({ kind: 'provider', provider });
  if (model !== undefined) scopes.push({ kind: 'model', pattern: model });
  if (tag !== undefined) scopes.push(readTag(tag));
  if (eachTag !== undefined) scopes.push({ kind: 'each_tag', key: eachTag });
  if (scopes.length > 1)
    throw new TollbookError(
      'invalid',
      'A limit counts one thing: give one of --key, --provider, --model, --tag, --each-tag.',
    );
  return scopes[0] ?? { kind: 'workspace' };
}

function readTag(text: string): LimitScope {
  const at = text.indexOf('=');
  if (at > 0) return { kind: 'tag', key: text.slice(0, at), value: text.slice(at + 1) };
  throw new TollbookError('invalid', `"${text}" is no tag; write --tag key=value, or --each-tag key for every value.`);
}
