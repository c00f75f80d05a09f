import { TollbookError } from '../domain/errors.ts';
import { FormError, type FormPart, readFormParts } from '../lib/http/form-data.ts';
import type { DeploymentModels, InferenceRoute, RequestFacts } from './provider.ts';
import { requireModelName } from './request-body.ts';

const TEXT_BYTES_MAX = 65_536;
const SHOWN_CHARS_MAX = 64;

/** Fields of a form. Each may occur once, apart from lists. */
interface FormFields {
  /** Fields with one text. */
  readonly texts: readonly string[];
  /** Fields that may occur several times, with or without brackets after their name. */
  readonly lists: readonly string[];
}

/** A request that came as a form. */
export class FormBody {
  readonly bytes: Uint8Array;
  /** Phrase for a field that is not known; null = none. */
  readonly stranger: string | null;
  readonly #parts: readonly FormPart[];
  readonly #deployments: DeploymentModels | null;

  constructor(
    bytes: Uint8Array,
    parts: readonly FormPart[],
    { texts, lists }: FormFields,
    deployments: DeploymentModels | null,
  ) {
    this.bytes = bytes;
    this.#parts = parts.map((part) => ({ ...part, name: part.name.replace(/\[\]$/, '') }));
    this.#deployments = deployments;
    for (const name of texts)
      if (this.#named(name).length > 1)
        throw new TollbookError('invalid', `The form has "${name}" more than once. Send it once.`, name);
    const strange = this.#parts.find(({ name }) => !texts.includes(name) && !lists.includes(name));
    this.stranger = strange ? `${strange.name.slice(0, SHOWN_CHARS_MAX)}, an unknown field` : null;
  }

  /** Returns the requested model, or the model of the requested deployment. Throws if it is missing or invalid. */
  model(): string {
    const name = requireModelName(this.text('model'));
    return this.#deployments?.get(name) ?? name;
  }

  has(name: string): boolean {
    return this.#named(name).length > 0;
  }

  count(name: string): number {
    return this.#named(name).length;
  }

  /** Returns the text of a field; null = absent. Throws if it is a file or too long. */
  text(name: string): string | null {
    const [part] = this.#named(name);
    if (!part) return null;
    if (part.isFile || part.end - part.start > TEXT_BYTES_MAX)
      throw new TollbookError('invalid', `"${name}" must be a text of at most ${TEXT_BYTES_MAX} bytes.`, name);
    return new TextDecoder().decode(this.bytes.subarray(part.start, part.end));
  }

  /** Returns a whole number of a field; null = absent. Throws if it is something else. */
  number(name: string): number | null {
    const text = this.text(name);
    if (text === null) return null;
    if (/^\d{1,6}$/.test(text)) return Number(text);
    throw new TollbookError('invalid', `"${name}" must be a whole number.`, name);
  }

  /** Bytes of all fields that are not files. */
  get textBytes(): number {
    let sum = 0;
    for (const { isFile, start, end } of this.#parts) if (!isFile) sum += end - start;
    return sum;
  }

  #named(name: string): readonly FormPart[] {
    return this.#parts.filter((part) => part.name === name);
  }
}

/** Returns a route whose request is a form. */
export function formRoute(
  operation: string,
  fields: FormFields,
  read: (form: FormBody) => RequestFacts,
  deployments: DeploymentModels | null = null,
): InferenceRoute {
  return {
    kind: 'inference',
    operation,
    streamCost: null,
    readRequest: refuseJson,
    readRequestInSlices: refuseJson,
    readForm: (body, contentType) => read(new FormBody(body, splitForm(body, contentType), fields, deployments)),
  };
}

function splitForm(body: Uint8Array, contentType: string): readonly FormPart[] {
  try {
    return readFormParts(body, contentType);
  } catch (error) {
    throw error instanceof FormError ? new TollbookError('invalid', `The form ${error.message}.`) : error;
  }
}

function refuseJson(): never {
  throw new TollbookError('invalid', 'Send this request as a form, multipart/form-data.');
}
