import { TollbookError } from '../../domain/errors.ts';
import { findJsonExcess, findRepeatedMember, type JsonMaxima } from '../../lib/json/json-limits.ts';

/** Longest path of a member that an error shows, in characters. */
const PATH_SHOWN_MAX = 200;
/**
 * Maxima of a body. No shape nests deeper than 6; the largest upload has 1,000 records, and a file of limits a few
 * thousand.
 */
const BODY_MAXIMA: JsonMaxima = { depth: 32, members: 10_000 };

/** Reads the JSON body of a request; undefined = no body, which is an error unless it is optional. */
export async function readJsonBody(request: Request, isOptional: boolean, bytesMax: number): Promise<unknown> {
  const text = await readBodyText(request, bytesMax);
  if (text === '' && isOptional) return undefined;
  if (text === '') throw new TollbookError('invalid', 'The request has no body. Send a JSON object.');
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type))
    throw new TollbookError(
      'unsupported_media_type',
      'Send the body as JSON, with the header "content-type: application/json".',
    );
  checkExcess(text, BODY_MAXIMA);
  const value = parseJson(text);
  const repeated = findRepeatedMember(text)?.slice(0, PATH_SHOWN_MAX) ?? null;
  if (repeated !== null)
    throw new TollbookError('invalid', `The body has ${JSON.stringify(repeated)} twice. Send it once.`, repeated);
  return value;
}

/**
 * Checks nesting and sizes before parsing: a mebibyte of brackets or commas keeps parser and shapes busy for seconds.
 */
function checkExcess(text: string, { depth, members }: JsonMaxima): void {
  const excess = findJsonExcess(text, { depth, members });
  if (excess === 'depth')
    throw new TollbookError('invalid', `The body nests deeper than ${depth} levels. Send a flatter one.`);
  if (excess === 'members')
    throw new TollbookError(
      'invalid',
      `An object or array in the body has more than ${members} members. Send it in parts.`,
    );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TollbookError('invalid', 'The body is not well-formed JSON. Check its syntax.');
  }
}

/** Maxima of telemetry: a batch has up to some thousand records, and contents may nest. */
const TELEMETRY_MAXIMA: JsonMaxima = { depth: 64, members: 100_000 };

/** Parses JSON of telemetry, whose shape its reader checks. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  const text = toText(bytes);
  checkExcess(text, TELEMETRY_MAXIMA);
  return parseJson(text);
}

async function readBodyText(request: Request, bytesMax: number): Promise<string> {
  return toText(await readBodyBytes(request, bytesMax));
}

function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TollbookError('invalid', 'The body is not UTF-8 text. Send it as UTF-8.');
  }
}

/** Reads a body. Throws `too_large` above a maximum. */
export async function readBodyBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const tooLarge = new TollbookError('too_large', `The body is larger than ${bytesMax} bytes. Send a smaller one.`);
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge;
  const pieces: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | null = request.body;
  try {
    for await (const piece of body ?? []) {
      size += piece.byteLength;
      if (size > bytesMax) throw tooLarge;
      pieces.push(piece);
    }
  } catch (error) {
    // The connection broke: not a failure of the service, so not logged.
    throw error === tooLarge ? tooLarge : new TollbookError('invalid', 'The body ended too early. Send it again.');
  }
  return Buffer.concat(pieces);
}
