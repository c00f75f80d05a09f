import { z } from 'zod';
import { TollbookError } from '../../domain/errors.ts';

type RawIssue = z.core.$ZodRawIssue;

/**
 * Validates input from outside; undefined where none is expected.
 * @throws TollbookError `refusal` with a sentence about the first thing that is wrong.
 */
export function readShape<Shape extends z.ZodType>(
  shape: Shape | undefined,
  value: unknown,
  refusal: 'invalid' | 'unprocessable' = 'invalid',
): z.output<Shape> {
  // Without a shape the declared type is `undefined`, and so is the result.
  if (!shape) return undefined as z.output<Shape>;
  const result = shape.safeParse(value, { error: sentenceFor });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = issue?.path.map(String).join('.') || undefined;
  throw new TollbookError(refusal, `${name ?? 'The request'} ${issue?.message ?? 'is not right'}.`, name);
}

/** Returns true if the value may be absent. */
export function isOptional(shape: z.ZodType): boolean {
  return shape instanceof z.ZodOptional;
}

/** Returns the end of a sentence that begins with the field's name; undefined = use the library's message. */
function sentenceFor(issue: RawIssue): string | undefined {
  if (issue.code === 'invalid_type') return sentenceForType(issue.input, issue.expected);
  if (issue.code === 'unrecognized_keys')
    return `has unknown fields: ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
  if (issue.code === 'invalid_union') return sentenceForList(issue);
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${unit(issue.origin)}`;
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}${unit(issue.origin)}`;
  return undefined;
}

function sentenceForType(input: unknown, expected: string): string {
  if (input === undefined) return 'is missing';
  if (expected === 'string' && Array.isArray(input)) return 'must be given once, as text';
  return `must be ${article(expected)}`;
}

/** Says what is wrong with a parameter that is a list or a single value: the shape of the value is the last one. */
function sentenceForList({ input, errors }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string | undefined {
  const [issue] = (Array.isArray(input) ? errors[0] : errors.at(-1)) ?? [];
  return issue?.message;
}

function article(type: string): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function unit(origin: string): string {
  if (origin === 'string') return ' characters long';
  return origin === 'array' ? ' items long' : '';
}

/** Parameters of every address: signed-in people name the workspace of a stream or download so. */
const COMMON_PARAMETERS = ['workspace'];

/** Reads the parameters of a query. A repeated parameter becomes a list, which no shape accepts. */
export function readParameters(url: URL): Record<string, string | string[]> {
  const names = new Set(url.searchParams.keys());
  return Object.fromEntries([...names].map((name) => [name, singleOrList(url.searchParams.getAll(name))]));
}

/**
 * Rejects unknown parameters, unless the shape accepts anything: a misspelled period would silently select another one.
 * @throws TollbookError `invalid` that names those there are
 */
export function rejectUnknownParameters(query: Readonly<Record<string, unknown>>, shape: z.ZodType | undefined): void {
  if (shape instanceof z.ZodObject && shape.def.catchall instanceof z.ZodUnknown) return;
  const names = shape instanceof z.ZodObject ? Object.keys(shape.shape) : [];
  const unknown = Object.keys(query).find((name) => !names.includes(name) && !COMMON_PARAMETERS.includes(name));
  if (unknown === undefined) return;
  const there = names.length === 0 ? 'this endpoint has no parameters' : `the parameters are ${names.join(', ')}`;
  throw new TollbookError('invalid', `Unknown parameter ${JSON.stringify(unknown)}: ${there}.`, unknown);
}

function singleOrList(values: string[]): string | string[] {
  const [only, ...others] = values;
  return only !== undefined && others.length === 0 ? only : values;
}
