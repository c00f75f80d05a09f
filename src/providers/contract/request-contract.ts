import { describe, expect, test } from 'vitest';
import { TollbookError } from '../../domain/errors.ts';
import type { RequestDemand } from '../../domain/limits/demand.ts';
import type { ForwardTerms, Provider, RequestFacts } from '../provider.ts';
import { spliced } from './read-body.ts';

type Body = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** A call of a provider: the path after `/api/proxy/{id}`, and the body. */
export interface ContractCall {
  readonly path: string;
  readonly body: Body;
}

/** Bodies in the dialect of a provider that generic forms cannot build. */
export interface RequestBounds {
  /** Requests a tool that the provider runs and bills, without a limit on its uses. */
  readonly dearTool: Body;
  /** Contains a picture. */
  readonly picture: Body;
  /** Contains a part of an unknown kind. */
  readonly unknownPart: Body;
}

const UNKNOWN_TOOL = { type: 'tool_nobody_knows', name: 'x', tool_nobody_knows: {} };
const UNKNOWN_PART = { type: 'part_nobody_knows', part_nobody_knows: {} };
/** A number that occurs in no body of the contract. */
const PUT = 41;
const MORE_BYTES = 1_000;
const SECRET = 'svc_sk_ofsomeone';
const NO_MODELS = [SECRET, `my-${SECRET}`, undefined, null, '', 7, ['m'], 'two words', 'm'.repeat(300)];

/** Providers that read a number in a text: their APIs are Protocol Buffers, whose JSON writes numbers as texts too. */
const TAKES_TEXT_FOR_NUMBERS: ReadonlySet<string> = new Set(['google', 'vertex']);

/** Declares tests with forms that every dialect has: a model, a maximum, tools, and parts of a prompt. */
export function requestContract(provider: Provider, { path, body }: ContractCall): void {
  const read = (value: Body): RequestFacts => readCall(provider, path, value);
  const request = `${provider.id}, readRequest of POST ${path}`;
  const maximum = (): Path => {
    const place = findValue(sent(read(body), body, to(PUT)), PUT);
    expect(place, `${request}: forward({ outputMax: ${PUT} }) puts no ${PUT} into the body`).not.toBeNull();
    expect(read(body).outputField, `${request}: outputField`).toBe(place?.join('.'));
    return place ?? [];
  };

  describe(`${provider.name} bounds a request to ${path || 'its bare address'}`, () => {
    test('the maximum is sent where the provider reads it, and a smaller one stays', () => {
      const place = maximum();
      const name = place.join('.');
      for (const [said, goes] of [
        [4_321, PUT],
        [3, 3],
      ] as const) {
        const value = withValue(body, place, said);
        const forwarded = valueAt(sent(read(value), value, to(PUT)), place);
        expect(forwarded, `${request}: ${name} ${said} after forward({ outputMax: ${PUT} })`).toBe(goes);
      }
    });

    test('the maximum in the body is that of the demand, and without one there is none', () => {
      const place = maximum();
      const name = place.join('.');
      for (const said of [3, 4_321])
        expect(
          read(withValue(body, place, said)).demand.outputMax,
          `${request}: demand.outputMax of a body with ${name} ${said}`,
        ).toBe(said);
      expect(
        read(withValue(body, place, undefined)).demand.outputMax,
        `${request}: demand.outputMax of a body without ${name}`,
      ).toBeNull();
    });

    test('a maximum that is no number is none, and is replaced', () => {
      const place = maximum();
      const name = place.join('.');
      for (const said of [TAKES_TEXT_FOR_NUMBERS.has(provider.id) ? 'many' : '3', { most: 3 }, 3.5, -3]) {
        const value = withValue(body, place, said);
        const facts = unlessRefused(() => read(value));
        if (facts === null) continue;
        const what = `${request}: with ${name} ${JSON.stringify(said)}`;
        expect(facts.demand.outputMax, `${what}, demand.outputMax`).toBeNull();
        expect(valueAt(sent(facts, value, to(PUT)), place), `${what}, ${name} after forward(…)`).toBe(PUT);
      }
    });

    test('each byte of the body counts as text, also those of a longer prompt, and so do words around it', () => {
      const { demand } = read(body);
      expectBytes(demand, body, request);
      expect(demand.preambleTokens, `${request}: demand.preambleTokens, for role markers`).toBeGreaterThan(0);
      const place = lastText(body);
      const longer = withValue(body, place, `${String(valueAt(body, place))} ${'x'.repeat(MORE_BYTES)}`);
      expectBytes(read(longer).demand, longer, `${request} with a longer prompt`);
    });

    test('an unknown tool and an unknown part of a prompt have no bound', () => {
      expectNoBound(() => read({ ...body, tools: [UNKNOWN_TOOL] }), `${request}: a tool of an unknown type`);
      expectNoBound(() => read(withPart(body, UNKNOWN_PART)), `${request}: a part of an unknown type`);
    });

    test('an unknown field in any object of the body has no bound', () => {
      for (const place of objectsIn(body)) {
        const field = [...place, 'field_nobody_knows'];
        expectNoBound(
          () => read(withValue(body, field, { most: 9 })),
          `${request}: ${field.join('.')}, an unknown field`,
        );
      }
    });

    test("a missing or invalid name of the model is refused, and Tollbook's secrets are not repeated", () => {
      const { model } = read(body);
      const place = findValue(body, model);
      if (place === null) {
        const secret = path.replace(model, SECRET).replace(encodeURIComponent(model), SECRET);
        return expectRefused(() => readCall(provider, secret, body), `${provider.id}, POST ${secret}`);
      }
      for (const name of NO_MODELS)
        expectRefused(() => read(withValue(body, place, name)), `${request}: the model ${JSON.stringify(name)}`);
    });
  });
}

/** Declares tests for the bodies of a dialect: `request.test.ts` in its folder calls this for each of its paths. */
export function requestBounds(provider: Provider, path: string, cases: RequestBounds): void {
  const read = (body: Body) => (): RequestFacts => readCall(provider, path, body);
  const request = `${provider.id}, readRequest of POST ${path}`;
  test(`${provider.name} ${path}: an expensive tool, an image and an unknown part count in full`, () => {
    expectNoBound(read(cases.dearTool), `${request}: the tool of \`dearTool\``);
    expectNoBound(read(cases.unknownPart), `${request}: the part of \`unknownPart\``);
    const expensive = unlessRefused(read(cases.dearTool));
    if (expensive) expectBytes(expensive.demand, cases.dearTool, `${request}: \`dearTool\``);
    const { demand } = read(cases.picture)();
    expect(
      demand.mediaTokens > 0 || demand.beyondBody || demand.work.unbounded !== null,
      `${request}: the picture of \`picture\` must add mediaTokens, or be beyondBody or unbounded`,
    ).toBe(true);
    expect(demand.media.imageIn, `${request}: media.imageIn with the picture of \`picture\``).toBe(true);
  });
}

/** Expects that a body has no bound or is refused, since a refused body costs nothing. */
function expectNoBound(read: () => RequestFacts, what: string): void {
  const facts = unlessRefused(read);
  if (facts === null) return;
  const { work, beyondBody } = facts.demand;
  expect(work.unbounded !== null || beyondBody, `${what} must be unbounded, beyondBody or refused`).toBe(true);
}

/** Expects that the demand has each byte of the body: tokenizers make at most one token of a byte. */
function expectBytes({ textBytes }: RequestDemand, body: Body, what: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(body));
  expect(textBytes, `${what}: demand.textBytes of a body with ${bytes} bytes`).toBeGreaterThanOrEqual(bytes);
}

/** Returns what is read from a request; null = it is refused as invalid. */
function unlessRefused(read: () => RequestFacts): RequestFacts | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TollbookError)) throw error;
    expect(error.type).toBe('invalid');
    return null;
  }
}

function expectRefused(read: () => RequestFacts, what: string): void {
  let refusal: unknown = null;
  try {
    read();
  } catch (error) {
    refusal = error;
  }
  expect(refusal, `${what} must be refused`).toBeInstanceOf(TollbookError);
  expect(refusal, what).toMatchObject({ type: 'invalid', message: expect.not.stringContaining(SECRET) as string });
}

function readCall(provider: Provider, path: string, body: Body): RequestFacts {
  const route = provider.route('POST', path);
  if (route.kind === 'none' && route.status === 400) throw new TollbookError('invalid', route.reason);
  if (route.kind !== 'inference') throw new Error(`${provider.id} does not serve POST ${path}.`);
  return route.readRequest(Buffer.from(JSON.stringify(body)));
}

function sent(facts: RequestFacts, body: Body, terms: ForwardTerms): unknown {
  return JSON.parse(spliced(JSON.stringify(body), facts.forward(terms)));
}

function to(outputMax: number): ForwardTerms {
  return { outputMax, tier: null, models: null };
}

/** Replaces the prompt's text with a part: the last text of the body, which is a part's `text` or a whole content. */
function withPart(body: Body, part: unknown): Body {
  const place = lastText(body);
  return place.at(-1) === 'text' ? withValue(body, place.slice(0, -1), part) : withValue(body, place, [part]);
}

function lastText(body: Body): Path {
  const place = placesIn(body).findLast(
    ([at, value]) => typeof value === 'string' && at.at(-1) !== 'role' && at.at(-1) !== 'model',
  );
  if (!place) throw new Error('The body of the first call holds no prompt.');
  return place[0];
}

function findValue(body: unknown, wanted: unknown): Path | null {
  return placesIn(body).find(([, value]) => value === wanted)?.[0] ?? null;
}

function objectsIn(value: unknown, at: Path = []): Path[] {
  if (value === null || typeof value !== 'object') return [];
  const inner = Object.entries(value).flatMap(([name, each]) => objectsIn(each, [...at, name]));
  return Array.isArray(value) ? inner : [at, ...inner];
}

function placesIn(value: unknown, at: Path = []): [Path, unknown][] {
  if (value === null || typeof value !== 'object') return [[at, value]];
  return Object.entries(value).flatMap(([name, inner]) => placesIn(inner, [...at, name]));
}

function valueAt(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return value;
  return valueAt((value as Record<string | number, unknown> | undefined)?.[name], rest);
}

/** Returns a copy of the body with another value at a place; undefined removes it. */
function withValue(body: Body, place: Path, value: unknown): Body {
  const copy = structuredClone(body) as Record<string | number, unknown>;
  let at = copy;
  for (const name of place.slice(0, -1)) at = (at[name] ??= {}) as Record<string | number, unknown>;
  at[place.at(-1) ?? ''] = value;
  return JSON.parse(JSON.stringify(copy)) as Body;
}
