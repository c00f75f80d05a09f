import { isInRange, parseAddress, parseAddressRange } from '../identity/address-range.ts';
import { TollbookError } from '../errors.ts';
import { compilePattern, mayMean, modelSpellings, restrictedSpellings } from './model-pattern.ts';
import { offsetAt } from '../time/period.ts';
import { type ActiveHours, OPEN_POLICY, type Policy, type RequiredName } from './policy.ts';
import type { CallContext } from '../usage/call-context.ts';
import { formatCount } from '../text/counts.ts';
import { DAYS, timeOfDay } from '../time/time-zone.ts';

/** Facts about a call that a policy checks. */
export interface PolicySubject {
  /** Name of the wrapped key, for the message. */
  readonly keyName: string;
  /** The requested model, then all others that may answer or that tools may use. */
  readonly models: readonly PolicyModel[];
  /** Models that may answer although the request does not name them; absent = none. */
  readonly anyModel?: boolean;
  /** null = a call without cost, whose tags do not matter. */
  readonly tags: Readonly<Record<string, string>> | null;
  /** Absent = a call without cost, whose names do not matter. */
  readonly context?: Pick<CallContext, RequiredName>;
  /** Problems of tags that were left out. */
  readonly tagWarnings: readonly string[];
  /** Address of the caller; null = unknown, which no address rule accepts. */
  readonly address: string | null;
  /** Epoch ms. */
  readonly at: number;
  /** Size of the decoded body. */
  readonly bodyBytes: number;
}

export interface PolicyModel {
  readonly model: string;
  /** The name it is priced under; null = it has no price. */
  readonly pricedModel: string | null;
}

type PolicyRule = (call: PolicySubject) => TollbookError | null;

/** A policy doesn't change; what it is compiled to lives as long as it does. */
const compiled = new WeakMap<Policy, readonly PolicyRule[]>();

/**
 * The first rule that a call breaks, as a sentence that names the key, the rule and what would pass; null = none.
 * `policy_denied` (403) for everything but tags, which are a mistake in the request: `invalid` (400).
 */
export function checkPolicy(policy: Policy, call: PolicySubject): TollbookError | null {
  if (policy === OPEN_POLICY) return null;
  for (const rule of compiledRules(policy)) {
    const refusal = rule(call);
    if (refusal) return refusal;
  }
  return null;
}

function compiledRules(policy: Policy): readonly PolicyRule[] {
  let rules = compiled.get(policy);
  if (!rules) {
    rules = compileRules(policy);
    compiled.set(policy, rules);
  }
  return rules;
}

function compileRules({
  allowedAddresses,
  activeHours,
  maxBodyBytes,
  deniedModels,
  allowedModels,
  requiredTags,
  requiredNames,
}: Policy): PolicyRule[] {
  const rules: PolicyRule[] = [];
  if (allowedAddresses) rules.push(addressRule(allowedAddresses));
  if (activeHours) rules.push(hoursRule(activeHours));
  if (maxBodyBytes !== null) rules.push(bodyRule(maxBodyBytes));
  if (deniedModels.length > 0) rules.push(denyRule(deniedModels, allowedModels));
  if (allowedModels) rules.push(allowRule(allowedModels));
  for (const [key, values] of Object.entries(requiredTags)) rules.push(tagRule(key, values));
  for (const name of requiredNames) rules.push(nameRule(name));
  return rules;
}

function addressRule(addresses: readonly string[]): PolicyRule {
  const ranges = addresses.map(parseAddressRange).filter((range) => range !== null);
  return ({ address, keyName }) => {
    const from = address === null ? null : parseAddress(address);
    if (from && ranges.some((range) => isInRange(from, range))) return null;
    return policyError(
      'address',
      `${keyNamed(keyName)} may not be used from ${address ?? 'an address that is not known'}; its policy allows ${listSome(addresses)}.`,
    );
  };
}

function hoursRule(hours: ActiveHours): PolicyRule {
  return ({ at, keyName }) =>
    isActive(hours, at)
      ? null
      : policyError(
          'activeHours',
          `${keyNamed(keyName)} may not be used now; its policy allows ${describeHours(hours)}.`,
        );
}

/** Hours over midnight belong to the day on which they begin. */
function isActive({ days, from, until, timeZone }: ActiveHours, at: number): boolean {
  const local = new Date(at + offsetAt(at, timeZone));
  const minute = local.getUTCHours() * 60 + local.getUTCMinutes();
  const day = local.getUTCDay();
  if (from < until) return days.includes(day) && minute >= from && minute < until;
  return (days.includes(day) && minute >= from) || (days.includes((day + 6) % 7) && minute < until);
}

/** `mon, fri from 09:00 until 18:00 (Europe/Berlin)`. */
function describeHours({ days, from, until, timeZone }: ActiveHours): string {
  const named = days.length === DAYS.length ? 'every day' : days.map((day) => DAYS[day]).join(', ');
  return `${named} from ${timeOfDay(from)} until ${timeOfDay(until)} (${timeZone})`;
}

function bodyRule(bytesMax: number): PolicyRule {
  return ({ bodyBytes, keyName }) =>
    bodyBytes <= bytesMax
      ? null
      : policyError(
          'body',
          `${keyNamed(keyName)} takes bodies of at most ${formatCount(bytesMax)} bytes; this one has ${formatCount(bodyBytes)}. Send less.`,
        );
}

function denyRule(patterns: readonly string[], allowed: readonly string[] | null): PolicyRule {
  const matchers = patterns.map((pattern) => ({ pattern, matches: compilePattern(pattern) }));
  const cure = allowed ? `It may use ${listSome(allowed)}.` : 'Ask for another model.';
  return ({ models, anyModel, keyName }) => {
    if (anyModel) return anyModelError(keyName, `denies ${listSome(patterns)}`);
    for (const { model, pricedModel } of models) {
      const names = restrictedSpellings(model, pricedModel);
      const found = matchers.find(({ pattern, matches }) => names.some(matches) || mayMean(model, pattern));
      if (found)
        return policyError(
          'model',
          `${keyNamed(keyName)} may not use ${shortenName(model)}: its policy denies ${found.pattern}. ${cure}`,
        );
    }
    return null;
  };
}

function allowRule(patterns: readonly string[]): PolicyRule {
  const matchers = patterns.map(compilePattern);
  return ({ models, anyModel, keyName }) => {
    if (anyModel) return anyModelError(keyName, `allows ${listSome(patterns)}`);
    for (const { model, pricedModel } of models) {
      const names = modelSpellings(model, pricedModel);
      if (!matchers.some((matches) => names.some(matches)))
        return policyError(
          'model',
          `${keyNamed(keyName)} may not use ${shortenName(model)}; its policy allows ${listSome(patterns)}.`,
        );
    }
    return null;
  };
}

function tagRule(tag: string, values: readonly string[] | null): PolicyRule {
  const allowed = values ? `one of ${listSome(values)}` : 'any value';
  const known = values && new Set(values);
  return ({ tags, tagWarnings, keyName }) => {
    if (tags === null) return null;
    const value = Object.hasOwn(tags, tag) ? tags[tag] : undefined;
    if (value !== undefined && (!known || known.has(value))) return null;
    const problem =
      value === undefined
        ? `requires the tag ${tag}, with ${allowed}`
        : `doesn't take ${tag}=${shortenName(value)}, but ${allowed}`;
    const leftOut = value === undefined && tagWarnings.length > 0 ? ` Left out: ${tagWarnings.join('; ')}.` : '';
    return new TollbookError(
      'invalid',
      `${keyNamed(keyName)} ${problem}. Send it in the header x-svc-tag-${tag}.${leftOut}`,
      'tags',
    );
  };
}

function nameRule(name: RequiredName): PolicyRule {
  return ({ context, keyName }) =>
    context === undefined || context[name] !== null
      ? null
      : new TollbookError(
          'invalid',
          `${keyNamed(keyName)} requires a ${name}. Send its name in the header x-svc-${name}.`,
          `x-svc-${name}`,
        );
}

function anyModelError(keyName: string, rule: string): TollbookError {
  return policyError(
    'model',
    `${keyNamed(keyName)} may not send a request without the names of all models that may answer it: its policy ${rule}. Name each model, at most 16.`,
  );
}

function policyError(param: string, sentence: string): TollbookError {
  return new TollbookError('policy_denied', sentence, param);
}

function keyNamed(name: string): string {
  return `The wrapped key "${name}"`;
}

const SHOWN_MAX = 8;

function listSome(items: readonly string[]): string {
  const more = items.length - SHOWN_MAX;
  return more > 0 ? `${items.slice(0, SHOWN_MAX).join(', ')} and ${more} more` : items.join(', ');
}

/** Names come from the wire. */
function shortenName(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}
