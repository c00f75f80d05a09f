import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { TollbookError } from '../domain/errors.ts';
import { readText } from './read-text.ts';

const SECTIONS = ['providers', 'prices', 'keys', 'policies', 'limits', 'webhooks'];

/** A YAML or JSON file that knows the line of each field. */
export class DeclarationFile {
  readonly path: string;
  readonly content: object;
  readonly #document: Document;
  readonly #lines = new LineCounter();

  /** Throws `invalid` for a file that can't be read, naming the line. */
  constructor(path: string) {
    this.path = path;
    this.#document = parseDocument(readText(path), { lineCounter: this.#lines, prettyErrors: false });
    const [problem] = this.#document.errors;
    if (problem) throw this.#error('invalid', `${problem.message}.`, problem.pos[0]);
    const content: unknown = this.#document.toJS();
    if (typeof content !== 'object' || content === null || Array.isArray(content))
      throw this.#error('invalid', `It must have at least one of these sections: ${SECTIONS.join(', ')}.`, null);
    const foreign = Object.keys(content).find((name) => !SECTIONS.includes(name));
    if (foreign !== undefined)
      throw this.#error(
        'invalid',
        `Unknown section "${foreign}"; use ${SECTIONS.join(', ')}.`,
        this.#offsetOf(foreign),
      );
    this.content = content;
  }

  /** Adds the line of the field to an error that names one. */
  locate(error: unknown): unknown {
    if (!(error instanceof TollbookError) || error.param === undefined) return error;
    const namesField = error.message.startsWith(error.param);
    const sentence = namesField ? error.message : `${error.param}: ${error.message}`;
    return this.#error(error.type, sentence, this.#offsetOf(error.param));
  }

  #error(type: TollbookError['type'], sentence: string, offset: number | null): TollbookError {
    const line = offset === null ? '' : `:${this.#lines.linePos(offset).line}`;
    return new TollbookError(type, `${this.path}${line}: ${sentence}`);
  }

  /** Returns the offset of the field, or of the nearest field around it that exists. */
  #offsetOf(field: string): number | null {
    for (const path = field.split('.'); path.length > 0; path.pop()) {
      const node = this.#document.getIn(path, true);
      if (isNode(node) && node.range) return node.range[0];
    }
    return null;
  }
}
