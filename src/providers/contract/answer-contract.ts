import { describe, expect, test } from 'vitest';
import { inputTokens, type TokenCounts, type Usage } from '../../domain/usage/usage.ts';
import { asErrorType } from '../error-names.ts';
import type { Provider, UsageReader } from '../provider.ts';
import { answerHead, readFacts, replay } from './replay.ts';

/** Text that a model generates, or that a provider quotes. Nothing that is kept of an answer may contain it. */
export const CANARY = 'The canary of the prompt sings.';

/** An answer as the provider's documentation shows it. */
interface ReadAnswer {
  /** The request: the path after `/api/proxy/{id}`, and the body. */
  readonly path: string;
  readonly request: Readonly<Record<string, unknown>>;
  /** Without parameters. */
  readonly contentType: string;
  /** The bytes of the answer as text, with `CANARY` in its generated text or in the sentence of its error. */
  readonly answer: string;
}

interface UsageExample extends ReadAnswer {
  /** Billed tokens by class, each token in one class. */
  readonly tokens: TokenCounts;
  /** Tokens of the whole prompt as the provider counts them, those of its cache included. */
  readonly promptTokens: number;
}

interface ErrorExample extends ReadAnswer {
  /** The provider's word for the error. */
  readonly type: string;
}

/** Answers of one operation of a provider. */
export interface AnswerExamples {
  /** Answers name billed tokens of a cache, and each example has some. */
  readonly billsCache: boolean;
  readonly whole: UsageExample;
  /** null = the operation has no streams. */
  readonly stream: UsageExample | null;
  /** Errors of the provider, one of them in a stream if there are streams. */
  readonly errors: readonly [ErrorExample, ...ErrorExample[]];
}

/** Declares the tests that the answers of every operation must pass. */
export function answerContract(provider: Provider, examples: AnswerExamples): void {
  const { whole, stream, errors, billsCache } = examples;
  describe(`${provider.name} reads the answer of ${whole.path || 'its bare address'}`, () => {
    for (const [kind, example] of [
      ['whole', whole],
      ['stream', stream],
    ] as const) {
      if (!example) continue;
      const what = `${provider.id}, the ${kind} answer of ${example.path}`;

      test(`${kind}: each billed token is in one class, however the bytes are split`, () => {
        const reading = replay(() => openExample(provider, example), example.answer);
        expect(reading, what).toMatchObject({ complete: true, errored: false });
        expect(tokensByClass(reading.usage), `${what}: tokens by class`).toEqual(example.tokens);
        expect(sumPrompts(reading.usage), `${what}: promptTokens`).toBe(example.promptTokens);
        expect(inputTokens(example.tokens), `${what}: classes of the prompt together, and promptTokens`).toBe(
          example.promptTokens,
        );
        expect((example.tokens.cacheRead ?? 0) > 0, `${what}: tokens.cacheRead > 0, as billsCache says`).toBe(
          billsCache,
        );
      });

      test(`${kind}: cut off at any byte, it is not complete or has all its usage`, () => {
        for (const { reader, at } of tornReaders(provider, example)) {
          const tokens = tokensByClass(reader.usage());
          const where = `${what}, cut off after ${at} bytes`;
          expect(reader.errored, where).toBe(false);
          if (reader.complete) expect(tokens, `${where}: complete`).toEqual(example.tokens);
          for (const [name, count] of Object.entries(tokens))
            expect(count, `${where}: ${name}`).toBeLessThanOrEqual(
              new Map(Object.entries(example.tokens)).get(name) ?? 0,
            );
        }
      });

      test(`${kind}: its text is measured and not kept`, () => {
        expect(example.answer, `${what} needs CANARY as its text`).toContain(CANARY);
        const { output: _, ...kept } = replay(() => openExample(provider, example), example.answer);
        expect(kept.outputBytes, `${what}: outputBytes`).toBeGreaterThanOrEqual(CANARY.length);
        expect(JSON.stringify(kept), what).not.toContain(CANARY);
      });

      test(`${kind}: the request says whether its answer is a stream`, () => {
        const { stream: isStream } = readFacts(provider, example.path, example.request);
        expect(isStream, `${provider.id}, readRequest of ${example.path}: stream`).toBe(kind === 'stream');
      });
    }

    test.each(errors.map((example) => [example.contentType, example] as const))(
      'an error in %s has the word of the provider, and no sentence',
      (_type, example) => {
        const what = `${provider.id}, the error of ${example.path} in ${example.contentType}`;
        const { errored, error } = readExample(provider, example);
        expect({ errored, type: error?.type }, what).toEqual({ errored: true, type: example.type });
        expect(asErrorType(example.type), `${what}: the type is a word`).toBe(example.type);
        const said = { ...example, answer: example.answer.replaceAll(`"${example.type}"`, `"${CANARY}"`) };
        expect(said.answer, `${what} contains its type`).not.toBe(example.answer);
        expect(
          readExample(provider, said).error?.type ?? null,
          `${what}, with a sentence in place of its type`,
        ).toBeNull();
      },
    );

    test.runIf(stream !== null)('an error in a stream is among the examples', () => {
      expect(errors.map(({ contentType }) => contentType)).toContain(stream?.contentType);
    });
  });
}

function openExample(provider: Provider, { path, request, contentType }: ReadAnswer): UsageReader {
  return readFacts(provider, path, request).openReader(answerHead(contentType));
}

function readExample(provider: Provider, example: ReadAnswer): UsageReader {
  expect(example.answer, `The error of ${example.path} needs CANARY as its sentence`).toContain(CANARY);
  const reader = openExample(provider, example);
  reader.push(Buffer.from(example.answer));
  reader.end();
  return reader;
}

/** Yields a reader after each byte but the last one, as if the connection broke there. */
function* tornReaders(provider: Provider, example: ReadAnswer): Generator<{ reader: UsageReader; at: number }> {
  const reader = openExample(provider, example);
  const bytes = new TextEncoder().encode(example.answer.trimEnd());
  for (let at = 1; at < bytes.length; at++) {
    reader.push(bytes.slice(at - 1, at));
    yield { reader, at };
  }
}

function tokensByClass(usage: Usage | null): TokenCounts {
  const sum: Record<string, number> = {};
  for (const { tokens } of usage?.inferences ?? [])
    for (const [name, count] of Object.entries(tokens)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

/** Tokens of the prompts of all passes, which decide the price tier. */
function sumPrompts(usage: Usage | null): number {
  return (usage?.inferences ?? []).reduce((sum, { promptTokens }) => sum + (promptTokens ?? 0), 0);
}
