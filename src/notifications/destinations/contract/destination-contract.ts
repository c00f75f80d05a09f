import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TollbookError } from '../../../domain/errors.ts';
import { WEBHOOK_KINDS } from '../../../domain/alerts/webhook-kinds.ts';
import {
  type WebhookDestination,
  type WebhookMessage,
  NOTICE_KINDS,
  type WebhookNotice,
  type ReceiverReply,
  type WebhookTarget,
  type DeliveryVerdict,
} from '../destination.ts';
import { findDestination } from '../destinations.ts';
import { hostileNotices, NOTICES } from './notices.ts';
import { HOUR_MS } from '../../../domain/time/units.ts';

const AT = Date.UTC(2026, 10, 21, 6, 0, 1, 750);
const UNSEEN = /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

export interface DestinationCase {
  readonly destination: WebhookDestination;
  readonly target: WebhookTarget;
  /** Targets that must be refused, by what is wrong with them, and the field that the error names. */
  readonly refused: Readonly<Record<string, readonly [target: WebhookTarget, param: 'url' | 'secret']>>;
  /** Fails unless the receiver accepts this message and shows text written by others as plain text. */
  readonly expectTaken: (message: WebhookMessage, notice: WebhookNotice) => void;
  /** The receiver reads some markup: `expectTaken` must then refuse unescaped markup. */
  readonly readsMarkup: boolean;
  /** Verdicts on statuses that have a special meaning for this receiver; not used for email. */
  readonly verdicts?: Readonly<Record<number, DeliveryVerdict>>;
}

/** Markup of every receiver, without quotes so that it has the same length in JSON. */
const MARKUP = '<b>x</b> <!channel> **x** [x](https://evil.example) @everyone';
/** Placeholder for text written by others, as long as the markup. */
const MARK = 'm'.repeat(MARKUP.length);
const OVERLONG = 'x'.repeat(1_000_000);

export function reply(status: number, body = '', headers: ReceiverReply['headers'] = {}): ReceiverReply {
  return { status, headers, body };
}

export function parseBody(message: WebhookMessage): unknown {
  if (message.via !== 'http') throw new Error('This is a mail.');
  return JSON.parse(message.body);
}

/** Declares the tests that every destination must pass. */
export function destinationContract(declared: DestinationCase): void {
  const { destination, target, refused, expectTaken, readsMarkup, verdicts = {} } = declared;
  const { type } = destination;
  const messageOf = (notice: WebhookNotice): WebhookMessage => destination.message(notice, target, AT);
  const refusal = (bad: WebhookTarget): TollbookError => {
    try {
      destination.check(bad);
    } catch (error) {
      if (error instanceof TollbookError) return error;
      throw error;
    }
    throw new Error(`${type} takes ${JSON.stringify(bad)}`);
  };

  if (!WEBHOOK_KINDS[type].isMail) httpVerdicts(destination, verdicts);

  describe(`${type} as a destination`, () => {
    test('is found by its type and accepts a valid target', () => {
      expect(findDestination(type)).toBe(destination);
      expect(() => destination.check(target)).not.toThrow();
    });

    test('accepts the URL and key that are shown as examples', () => {
      const { address, key } = WEBHOOK_KINDS[type];
      const example = { url: address.example, secrets: key ? [key.example] : [] };
      expect(() => destination.check(example)).not.toThrow();
      expect(() => destination.check({ ...example, url: address.usual ?? address.example })).not.toThrow();
      expect(destination.message(NOTICES.alert, example, AT).via).toBe(WEBHOOK_KINDS[type].isMail ? 'mail' : 'http');
    });

    test.each(Object.entries(refused))('refuses %s and names the field to correct', (_what, [bad, param]) => {
      const error = refusal(bad);
      expect(error).toMatchObject({ type: 'invalid', param });
      for (const secret of bad.secrets.filter(({ length }) => length > 8)) expect(error.message).not.toContain(secret);
    });

    test.each(NOTICE_KINDS)('sends the recorded message for a notice of the kind "%s"', async (kind) => {
      const message = messageOf(NOTICES[kind]);
      const shown = message.via === 'http' ? { ...message, body: parseBody(message) } : message;
      const file = `./contract/requests/${type.toLowerCase()}-${kind}.json`;
      await expect(`${JSON.stringify(shown, null, 2)}\n`).toMatchFileSnapshot(file);
      expectTaken(message, NOTICES[kind]);
    });

    test('sends messages that the receiver accepts for any text in the notice', () => {
      fc.assert(
        fc.property(hostileNotices, (notice) => {
          const message = messageOf(notice);
          expectTaken(message, notice);
          expectText(message);
        }),
        { numRuns: 200 },
      );
    });

    test.each(['ﷺ', '😀', '*', '<', '&', '"', '\\', 'a\n'])(
      'sends messages that the receiver accepts when every text repeats %j',
      (character) => {
        const text = character.repeat(20_000);
        const many = Array.from({ length: 30 }, (_, index) => `${index}${text}`);
        const facts = many.map((name) => ({ name, value: text }));
        const data = Object.fromEntries(many.map((name) => [name, text]));
        const notice = { ...NOTICES.alert, title: text, message: text, workspace: text, episode: text, facts, data };
        for (const kind of NOTICE_KINDS) expectTaken(messageOf({ ...notice, kind }), { ...notice, kind });
      },
    );

    test('has a check that notices an overlong or unescaped message', () => {
      const facts = [{ name: MARK, value: MARK }];
      const notice = { ...NOTICES.alert, title: MARK, message: MARK, workspace: MARK, facts };
      const good = messageOf(notice);
      expect(JSON.stringify(good), `The message of ${type} shows nothing of its notice`).toContain(MARK);
      expectTaken(good, notice);
      const bad = readsMarkup ? { 'is overlong': OVERLONG, 'is not escaped': MARKUP } : { 'is overlong': OVERLONG };
      for (const [what, text] of Object.entries(bad))
        expect(
          accepts(() => expectTaken(withText(good, text), notice)),
          `expectTaken in src/notifications/destinations/${type.toLowerCase()}.test.ts accepts a message that ${what}`,
        ).toBe(false);
    });

    test('builds the same message for the same notice, so that a repeated delivery is recognizable', () => {
      for (const kind of NOTICE_KINDS) expect(messageOf(NOTICES[kind])).toEqual(messageOf(NOTICES[kind]));
    });

    test('has a verdict on any reply, and no reply delays a delivery for more than an hour', () => {
      const header = fc.oneof(fc.string(), fc.nat().map(String), fc.constant('Fri, 31 Dec 2100 23:59:59 GMT'));
      const replies = fc.record({
        status: fc.integer({ min: 0, max: 999 }),
        headers: fc.dictionary(fc.constantFrom('retry-after', 'date'), header),
        body: fc.oneof(
          fc.string(),
          fc.json(),
          fc.double().map((seconds) => JSON.stringify({ retry_after: seconds })),
        ),
      });
      fc.assert(
        fc.property(replies, (any) => {
          const verdict = destination.judge(any);
          if (verdict.outcome !== 'later' || verdict.afterMs === null) return;
          expect(verdict.afterMs).toBeGreaterThanOrEqual(0);
          expect(verdict.afterMs).toBeLessThanOrEqual(HOUR_MS);
        }),
      );
    });
  });
}

/** Returns the message with a text that the destination has neither shortened nor escaped. */
function withText(message: WebhookMessage, text: string): WebhookMessage {
  const put = (into: string, as = text): string => into.replaceAll(MARK, () => as);
  if (message.via === 'http') return { ...message, body: put(message.body, JSON.stringify(text).slice(1, -1)) };
  return { ...message, subject: put(message.subject), text: put(message.text), html: put(message.html) };
}

function accepts(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

const LATER = [301, 302, 307, 308, 403, 405, 407, 408, 409, 425, 429, 500, 502, 503, 504, 529];

/** Declares the tests of verdicts on HTTP replies. */
function httpVerdicts({ judge, type }: WebhookDestination, own: Readonly<Record<number, DeliveryVerdict>>): void {
  const usual = (statuses: readonly number[]): readonly number[] => statuses.filter((status) => !(status in own));
  test.for(usual([200, 201, 202, 204]))(`${type}: %i is delivered`, (status) => {
    expect(judge(reply(status, 'whatever'))).toEqual({ outcome: 'delivered' });
  });
  test.for(usual(LATER))(`${type}: %i is retried when the receiver says so`, (status) => {
    expect(judge(reply(status))).toEqual({ outcome: 'later', afterMs: null });
    expect(judge(reply(status, '', { 'retry-after': '120' }))).toEqual({ outcome: 'later', afterMs: 120_000 });
  });
  test.for(usual([400, 413, 415, 422]))(`${type}: %i refuses this message alone`, (status) => {
    expect(judge(reply(status))).toEqual({ outcome: 'refused' });
  });
  test.for(usual([410]))(`${type}: %i is permanent`, (status) => {
    expect(judge(reply(status))).toEqual({ outcome: 'gone' });
  });
  test.for(Object.entries(own))(`${type}: %s has a special meaning`, ([status, verdict]) => {
    expect(judge(reply(Number(status)))).toEqual(verdict);
  });
}

/** Expects that no text of a message has split or invisible characters. */
function expectText(message: WebhookMessage): void {
  const texts: readonly string[] =
    message.via === 'http' ? listTexts(shownPart(parseBody(message))) : Object.values(message);
  for (const text of texts) {
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toMatch(UNSEEN);
  }
}

/** Returns the parts of a body that people see. `data` is for programs and holds texts unchanged. */
function shownPart(body: unknown): unknown {
  const { data, ...rest } = body as { data?: { title: string; message: string } };
  return data ? { ...rest, title: data.title, message: data.message } : rest;
}

export function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : [];
}
