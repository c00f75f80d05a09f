import { parseAddressRange } from '../identity/address-range.ts';
import { TollbookError } from '../errors.ts';
import { readUsd, usdFromNano } from '../money/money.ts';
import { type ActiveHours, OPEN_POLICY, type Policy, REQUIRED_NAMES, type RequiredName } from './policy.ts';
import { checkTag, TAGS_MAX, trimTag } from '../usage/tags.ts';
import { DAY_MINUTES, DAYS, parseTimeZone, readTimeOfDay, timeOfDay } from '../time/time-zone.ts';
import { unlessUnchanged } from '../identity/stored-value.ts';

const LIST_MAX = 100;
const PATTERN_CHARACTERS_MAX = 256;

/** A policy as people write and read it: `assumedCostUsd` in dollars, hours as `09:00`, days by their names. */
export type WrittenPolicy = Omit<Policy, 'assumedCostUsd' | 'activeHours'> & {
  readonly assumedCostUsd: number | null;
  readonly activeHours: {
    readonly days: readonly string[];
    readonly from: string;
    readonly until: string;
    readonly timeZone: string;
  } | null;
};

/** The form that `parsePolicy` reads: `parsePolicy(renderPolicy(policy))` equals the policy. */
export function renderPolicy(policy: Policy): WrittenPolicy {
  const { assumedCostUsd, activeHours } = policy;
  return {
    ...policy,
    assumedCostUsd: assumedCostUsd === null ? null : usdFromNano(assumedCostUsd),
    activeHours: activeHours && {
      days: activeHours.days.map((day) => DAYS[day] ?? ''),
      from: timeOfDay(activeHours.from),
      until: timeOfDay(activeHours.until),
      timeZone: activeHours.timeZone,
    },
  };
}

/**
 * Parses a policy as people write it (see `WrittenPolicy`; `assumedCostUsd` may be text too). Absent and null fields get
 * their default. Values of the stored policy stay valid, even above current maxima. Throws `invalid` with the field,
 * also for unknown fields, because a misspelled rule protects nothing.
 */
export function parsePolicy(written: unknown, stored: Policy = OPEN_POLICY): Policy {
  if (!isObject(written)) throw new TollbookError('invalid', 'A policy is a JSON object of rules.', 'policy');
  refuseUnknown(written, Object.keys(OPEN_POLICY), 'policy');
  const shownBefore = renderPolicy(stored);
  const read = <Field extends keyof Policy>(
    field: Field,
    reader: PolicyFieldReader<Policy[Field]>,
  ): Policy[Field] | null => {
    const value = written[field];
    if (value === undefined || value === null) return null;
    return unlessUnchanged(stored[field], value, () => reader(value, field, stored[field]), shownBefore[field]);
  };
  return {
    allowedModels: read('allowedModels', (value, field, kept) => notEmpty(readPatterns(value, field, kept), field)),
    deniedModels: read('deniedModels', readPatterns) ?? OPEN_POLICY.deniedModels,
    maxOutputTokens: read('maxOutputTokens', readCount),
    requiredTags: read('requiredTags', readRequiredTags) ?? OPEN_POLICY.requiredTags,
    requiredNames: read('requiredNames', readRequiredNames) ?? OPEN_POLICY.requiredNames,
    maxSessionsPerHour: read('maxSessionsPerHour', readMaxSessions),
    allowedAddresses: read('allowedAddresses', (value, field, kept) =>
      notEmpty(readAddresses(value, field, kept), field),
    ),
    activeHours: read('activeHours', readActiveHours),
    whenOverLimit: read('whenOverLimit', choice('refuse', 'shorten')) ?? OPEN_POLICY.whenOverLimit,
    minOutputTokens: read('minOutputTokens', readCount) ?? OPEN_POLICY.minOutputTokens,
    assumedCostUsd: read('assumedCostUsd', readPresumed),
    unpricedModels: read('unpricedModels', choice('refuse', 'allow')) ?? OPEN_POLICY.unpricedModels,
    onDisconnect: read('onDisconnect', choice('drain', 'abort')) ?? OPEN_POLICY.onDisconnect,
    geo: read('geo', readWord),
    tier: read('tier', readWord),
    maxBodyBytes: read('maxBodyBytes', readCount),
  };
}

/** `stored` is what the field has now. */
type PolicyFieldReader<Value> = (value: unknown, field: keyof Policy, stored: Value) => Value;
type TextList = readonly string[] | null;

function readPatterns(value: unknown, field: string, stored: TextList): string[] {
  const patterns = readTexts(value, field, stored);
  for (const pattern of newTexts(patterns, stored))
    if (pattern === '' || pattern.length > PATTERN_CHARACTERS_MAX || /[^\u0021-\u007e]/.test(pattern))
      throw fieldError(
        field,
        `"${shortenText(pattern)}" is not a model pattern; write up to ${PATTERN_CHARACTERS_MAX} letters, digits and signs, such as claude-haiku-*.`,
      );
  return patterns;
}

function readAddresses(value: unknown, field: string, stored: TextList): string[] {
  const addresses = readTexts(value, field, stored);
  for (const address of newTexts(addresses, stored))
    if (!parseAddressRange(address))
      throw fieldError(
        field,
        `"${shortenText(address)}" is not an address; write one such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32.`,
      );
  return addresses;
}

function readRequiredTags(value: unknown, field: string, stored: Policy['requiredTags']): Policy['requiredTags'] {
  if (!isObject(value))
    throw fieldError(
      field,
      'Required tags are an object: {"team": ["search", "ads"], "user": null}; null allows any value.',
    );
  const required = new Map<string, readonly string[] | null>();
  for (const [writtenKey, writtenValues] of Object.entries(value)) {
    const key = trimTag(writtenKey, '').key;
    const before = Object.hasOwn(stored, key) ? stored[key] : undefined;
    if (before === undefined) readTag(key, 'any', field);
    if (required.has(key)) throw fieldError(field, `The tag ${key} is given twice.`);
    const values = writtenValues === null ? null : notEmpty(readTexts(writtenValues, field, before ?? null), field);
    required.set(
      key,
      values && values.map((text) => (before?.includes(text) ? text : readTag(key, text, field).value)),
    );
  }
  if (required.size > Math.max(TAGS_MAX, Object.keys(stored).length))
    throw fieldError(field, `A call carries at most ${TAGS_MAX} tags, so no more can be required.`);
  return Object.fromEntries(required);
}

function readTag(key: string, value: string, field: string): { readonly key: string; readonly value: string } {
  const tag = checkTag(key, value);
  if (tag.problem !== null) throw fieldError(field, `This tag can't be required: ${tag.problem}.`);
  return tag;
}

function readActiveHours(value: unknown, field: string): ActiveHours {
  if (!isObject(value))
    throw fieldError(
      field,
      'Active hours look like this: {"days": ["mon", "fri"], "from": "09:00", "until": "18:00", "timeZone": "Europe/Berlin"}.',
    );
  refuseUnknown(value, ['days', 'from', 'until', 'timeZone'], field);
  const from = readMinutes(value['from'], `${field}.from`);
  const until = readMinutes(value['until'], `${field}.until`);
  if (from === until || from === DAY_MINUTES)
    throw fieldError(
      `${field}.until`,
      'Active hours need a begin and another end; a whole day is from 00:00 until 24:00.',
    );
  const zone = value['timeZone'];
  if (typeof zone !== 'string')
    throw fieldError(`${field}.timeZone`, 'Active hours need a time zone such as Europe/Berlin.');
  return {
    days: readDays(value['days'], `${field}.days`),
    from,
    until,
    timeZone: parseTimeZone(zone, `${field}.timeZone`),
  };
}

/** Absent = every day. */
function readDays(value: unknown, field: string): number[] {
  const wanted = value === undefined || value === null ? DAYS : readTexts(value, field).map((day) => day.toLowerCase());
  const unknown = notEmpty(wanted, field).find((day) => !DAYS.includes(day));
  if (unknown !== undefined)
    throw fieldError(field, `"${shortenText(unknown)}" is not a day; write ${DAYS.join(', ')}.`);
  return [...DAYS.keys()].filter((day) => wanted.includes(DAYS[day] ?? ''));
}

function readMinutes(value: unknown, field: string): number {
  const minutes = typeof value === 'string' ? readTimeOfDay(value) : null;
  if (minutes === null) throw fieldError(field, 'Write the time of day as 00:00 to 24:00.');
  return minutes;
}

function readPresumed(value: unknown, field: string): number {
  const nano = readUsd(value, field);
  if (nano === 0)
    throw fieldError(field, 'Work that may cost anything is presumed to cost something: write an amount above 0.');
  return nano;
}

function readRequiredNames(value: unknown, field: string): RequiredName[] {
  const written = readTexts(value, field);
  const unknown = written.find((text) => !REQUIRED_NAMES.some((name) => name === text));
  if (unknown !== undefined)
    throw fieldError(field, `"${shortenText(unknown)}" can't be required; write ${REQUIRED_NAMES.join(' or ')}.`);
  return REQUIRED_NAMES.filter((name) => written.includes(name));
}

/** The gateway keeps the sessions of an hour in memory. */
const SESSIONS_MAX = 100_000;

function readMaxSessions(value: unknown, field: string): number {
  const sessions = readCount(value, field);
  if (sessions <= SESSIONS_MAX) return sessions;
  throw fieldError(field, `${field} is at most ${SESSIONS_MAX}.`);
}

function readCount(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw fieldError(field, `${field} is a whole number, at least 1.`);
}

function readWord(value: unknown, field: string): string {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (/^[a-z0-9_-]{1,32}$/.test(word)) return word;
  throw fieldError(field, `${field} is one word of up to 32 letters, digits, "_" and "-", as the provider writes it.`);
}

function choice<T extends string>(...choices: readonly T[]): (value: unknown, field: string) => T {
  return (value, field) => {
    const found = choices.find((word) => word === value);
    if (found === undefined) throw fieldError(field, `${field} is one of ${choices.join(', ')}.`);
    return found;
  };
}

/** Returns the texts that are not stored yet. */
function newTexts(texts: readonly string[], stored: TextList): readonly string[] {
  return texts.filter((text) => !stored?.includes(text));
}

/** Trimmed, each once. */
function readTexts(value: unknown, field: string, stored: TextList = null): string[] {
  const most = Math.max(LIST_MAX, stored?.length ?? 0);
  const list: readonly unknown[] | null = Array.isArray(value) && value.length <= most ? value : null;
  const texts = list?.filter((item) => typeof item === 'string');
  if (!list || !texts || texts.length !== list.length)
    throw fieldError(field, `${field} is a list of at most ${LIST_MAX} texts.`);
  return [...new Set(texts.map((text) => text.trim()))];
}

function notEmpty<T extends readonly unknown[]>(list: T, field: string): T {
  if (list.length === 0)
    throw fieldError(field, `An empty list in ${field} would let nothing pass; leave it out to allow all.`);
  return list;
}

function refuseUnknown(written: Readonly<Record<string, unknown>>, known: readonly string[], param: string): void {
  for (const field of Object.keys(written))
    if (!known.includes(field))
      throw new TollbookError(
        'invalid',
        `There is no "${shortenText(field)}" in ${param}; choose from ${known.join(', ')}.`,
        shortenText(field),
      );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shortenText(text: string): string {
  return text.slice(0, 64);
}

function fieldError(param: string, sentence: string): TollbookError {
  return new TollbookError('invalid', sentence, param);
}
