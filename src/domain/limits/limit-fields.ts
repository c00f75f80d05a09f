import { formatDuration, parseDuration } from '../time/duration.ts';
import { TollbookError } from '../errors.ts';
import { CALL_NAMES, type CallName, type Limit, type LimitScope, type LimitUnit, type UncertainRule } from './limit.ts';
import { readUsd, usdFromNano, type WholeAmount } from '../money/money.ts';
import { describeScope } from '../text/limits.ts';
import { parseName } from '../identity/name.ts';
import { checkTag, trimTag } from '../usage/tags.ts';

/**
 * Forms of limit fields that people read and write. Amounts of `usd` are dollars outside and nano-USD inside; others are
 * counts.
 */

export const DEFAULT_THRESHOLDS: readonly number[] = [50, 80, 95];
const THRESHOLDS_MAX = 10;
const PATTERN_CHARACTERS_MAX = 200;
const RELEASE_MS_LEAST = 60_000;

/** An amount in the limit's unit, from a JSON number or text. Throws `invalid`. */
export function parseAmount(unit: LimitUnit, value: number | string, param: string): number {
  if (unit === 'usd') return readUsd(value, param);
  const count = typeof value === 'number' ? value : /^\d{1,16}$/.test(value.trim()) ? Number(value) : NaN;
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new TollbookError(
    'invalid',
    `${param} ${String(value).slice(0, 40)} is not an amount of ${unit}; write a whole number such as 1000.`,
    param,
  );
}

/** Returns an amount as a JSON number: dollars, or a count. */
export function shownAmount(unit: LimitUnit, amount: WholeAmount): number {
  return unit === 'usd' ? usdFromNano(amount) : Number(amount);
}

/** A scope in the form in which it is stored, unchecked. */
export function trimScope(scope: LimitScope): LimitScope {
  switch (scope.kind) {
    case 'workspace':
    case 'key':
    case 'provider':
    case 'each':
      return scope;
    case 'model':
      return { kind: 'model', pattern: scope.pattern.trim().toLowerCase() };
    case 'tag':
      return { kind: 'tag', ...trimTag(scope.key, scope.value) };
    case 'each_tag':
      return { kind: 'each_tag', key: trimTag(scope.key, '').key };
  }
}

/** Checks what a scope says by itself; whether its key and provider are there is for others to look up. */
export function parseScope(scope: LimitScope, param: string): LimitScope {
  switch (scope.kind) {
    case 'workspace':
    case 'key':
    case 'provider':
    case 'each':
      return scope;
    case 'model':
      return { kind: 'model', pattern: parsePattern(scope.pattern, param) };
    case 'tag': {
      const tag = checkTag(scope.key, scope.value);
      if (tag.problem !== null) throw badTag(tag.problem, param);
      return { kind: 'tag', key: tag.key, value: tag.value };
    }
    case 'each_tag': {
      const tag = checkTag(scope.key, 'any');
      if (tag.problem !== null) throw badTag(tag.problem, param);
      return { kind: 'each_tag', key: tag.key };
    }
  }
}

function parsePattern(text: string, param: string): string {
  const pattern = text.trim().toLowerCase();
  if (pattern !== '' && pattern.length <= PATTERN_CHARACTERS_MAX && !/[\p{Cc}\s]/u.test(pattern)) return pattern;
  throw new TollbookError(
    'invalid',
    `${param} has no usable pattern of models; write a name such as claude-haiku-4-5 or claude-*.`,
    param,
  );
}

function badTag(problem: string, param: string): TollbookError {
  return new TollbookError('invalid', `${param} names a tag that can't be used: ${problem}.`, param);
}

/** Returns a text that identifies a limit: a workspace has at most one for each text. */
export function limitIdentity({ scope, unit, window, action }: LimitIdentity): string {
  return `${action} ${unit} ${window} ${describeScope(scope)}`;
}

type LimitIdentity = Pick<Limit, 'scope' | 'unit' | 'window' | 'action'>;

/** Per cent, ascending, each once. Throws `invalid`. */
export function parseThresholds(thresholds: readonly number[], param: string): number[] {
  const fits =
    thresholds.length <= THRESHOLDS_MAX && thresholds.every((one) => Number.isInteger(one) && one >= 1 && one <= 100);
  if (fits) return [...new Set(thresholds)].toSorted((a, b) => a - b);
  throw new TollbookError(
    'invalid',
    `${param} must be at most ${THRESHOLDS_MAX} whole numbers from 1 to 100: percent of the amount.`,
    param,
  );
}

/** `keep`, or `release-after 2h`. Throws `invalid`. */
export function parseUncertain(text: string, param: string): UncertainRule {
  const written = text.trim();
  if (written === 'keep') return 'keep';
  const duration = /^release-after (.+)$/.exec(written)?.[1];
  if (duration === undefined)
    throw new TollbookError('invalid', `${param} must be "keep" or for instance "release-after 2h".`, param);
  const releaseAfterMs = parseDuration(duration, param);
  if (releaseAfterMs >= RELEASE_MS_LEAST) return { releaseAfterMs };
  throw new TollbookError('invalid', `${param} releases too early; a minute is the least.`, param);
}

export function formatUncertain(rule: UncertainRule): string {
  return rule === 'keep' ? rule : `release-after ${formatDuration(rule.releaseAfterMs)}`;
}

export function parseLabel(label: string | null, param: string): string | null {
  return label === null ? null : parseName(label, param);
}

/** Short names of scopes; at most one is given; none = all calls of the workspace. */
export interface ScopeWords {
  /** Id or name of a wrapped key. */
  readonly key?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** `team=search` */
  readonly tag?: string | undefined;
  readonly eachTag?: string | undefined;
  /** `session`, `agent` or `run`; with a key, of that key alone. */
  readonly each?: string | undefined;
}

/** Throws `invalid` for two scopes; each value is checked when the limit is created. */
export function chooseScope(words: ScopeWords): LimitScope {
  const { key, provider, model, tag, eachTag, each } = words;
  const scopes: LimitScope[] = [];
  if (each !== undefined) scopes.push({ kind: 'each', of: parseCallName(each), keyId: key ?? null });
  else if (key !== undefined) scopes.push({ kind: 'key', keyId: key });
  if (provider !== undefined) scopes.push({ kind: 'provider', provider });
  if (model !== undefined) scopes.push({ kind: 'model', pattern: model });
  if (tag !== undefined) scopes.push(tagScope(tag));
  if (eachTag !== undefined) scopes.push({ kind: 'each_tag', key: eachTag });
  if (scopes.length > 1)
    throw new TollbookError(
      'invalid',
      `A limit counts one thing, but ${listGiven(words)} are given. Use one of key, provider, model, tag, each-tag and each; only key and each go together.`,
    );
  return scopes[0] ?? { kind: 'workspace' };
}

function listGiven(words: ScopeWords): string {
  const given = SCOPE_WORDS.flatMap(([word, name]) => (words[word] === undefined ? [] : [name]));
  const last = given.pop() ?? '';
  return given.length === 0 ? last : `${given.join(', ')} and ${last}`;
}

const SCOPE_WORDS: readonly (readonly [word: keyof ScopeWords, name: string])[] = [
  ['key', 'key'],
  ['provider', 'provider'],
  ['model', 'model'],
  ['tag', 'tag'],
  ['eachTag', 'each-tag'],
  ['each', 'each'],
];

function parseCallName(text: string): CallName {
  const name = CALL_NAMES.find((each) => each === text);
  if (name) return name;
  throw new TollbookError(
    'invalid',
    `"${text.slice(0, 64)}" is not counted separately; write session, agent or run.`,
    'each',
  );
}

function tagScope(text: string): LimitScope {
  const at = text.indexOf('=');
  if (at > 0) return { kind: 'tag', key: text.slice(0, at), value: text.slice(at + 1) };
  throw new TollbookError(
    'invalid',
    `"${text.slice(0, 64)}" is not a tag; write team=search, or count each value of team separately.`,
    'tag',
  );
}
