/** A part of a form: a field, or a file. */
export interface FormPart {
  readonly name: string;
  readonly isFile: boolean;
  /** `[start, end)` of its content. */
  readonly start: number;
  readonly end: number;
}

/** Why a form can't be read; `message` continues "The form …". */
export class FormError extends Error {}

const CONTENT_TYPE =
  /^multipart\/form-data; *boundary=(?:"([\w'()+,./:=? -]{1,69}[\w'()+,./:=?-])"|([\w'+.-]{1,70}))$/i;
const DISPOSITION =
  /^form-data; name="([^"\\\r\n]{1,64})"(; filename="[^"\r\n]{0,255}")?(; filename\*=[^\r\n"]{0,512})?$/i;
const PARTS_MAX = 64;
const PART_HEADERS_BYTES_MAX = 2_048;
const LINE_END = '\r\n';
const HEADERS_END = '\r\n\r\n';

/**
 * Splits `multipart/form-data` (RFC 7578) into its parts. A form that readers could split in different ways is refused: text
 * before the first part or after the last one, headers other than the usual two, and unusual names.
 */
export function readFormParts(body: Uint8Array, contentType: string): readonly FormPart[] {
  const [, quoted, plain] = CONTENT_TYPE.exec(contentType.trim()) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw new FormError('needs the type multipart/form-data with one plain boundary');
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const opening = `--${boundary}`;
  if (!startsAt(bytes, 0, opening + LINE_END)) throw new FormError('does not begin with its boundary');
  const closing = LINE_END + opening;
  const parts: FormPart[] = [];
  for (let at = opening.length + LINE_END.length; ;) {
    if (parts.length === PARTS_MAX) throw new FormError(`may have at most ${PARTS_MAX} parts`);
    const headersEnd = bytes.indexOf(HEADERS_END, at);
    const start = headersEnd + HEADERS_END.length;
    const end = headersEnd < 0 ? -1 : bytes.indexOf(closing, headersEnd);
    if (end < 0) throw new FormError('is cut off');
    if (headersEnd - at > PART_HEADERS_BYTES_MAX) throw new FormError('has a part with too many headers');
    if (end < start) throw new FormError('has a part without content');
    parts.push({ ...readPartHeaders(bytes.toString('utf8', at, headersEnd)), start, end });
    const after = end + closing.length;
    if (startsAt(bytes, after, LINE_END)) at = after + LINE_END.length;
    else if (isFormEnd(bytes, after)) return parts;
    else throw new FormError('has its boundary in a part, or text after its end');
  }
}

function readPartHeaders(text: string): Pick<FormPart, 'name' | 'isFile'> {
  let found: RegExpExecArray | null = null;
  for (const line of text.split(LINE_END)) {
    const [, header = '', value = ''] = /^([\w-]+): ?(.*)$/.exec(line) ?? [];
    const name = header.toLowerCase();
    if (name === 'content-disposition' && found === null) found = DISPOSITION.exec(value);
    else if (name !== 'content-type') throw new FormError('has a part with an unusual header');
  }
  if (!found) throw new FormError('has a part without a plain name');
  return { name: found[1] ?? '', isFile: found[2] !== undefined || found[3] !== undefined };
}

function isFormEnd(bytes: Buffer, at: number): boolean {
  const rest = bytes.length - at;
  return startsAt(bytes, at, '--') && (rest === 2 || (rest === 4 && startsAt(bytes, at + 2, LINE_END)));
}

function startsAt(bytes: Buffer, at: number, text: string): boolean {
  return bytes.toString('latin1', at, at + text.length) === text;
}
