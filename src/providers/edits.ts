import type { ByteSpan } from '../lib/json/scan-record.ts';
import type { Splice } from './provider.ts';

/** Where new members of an object go: in place of `[start, end)`. */
export interface Gap extends Readonly<ByteSpan> {
  /** Members follow, so that a comma must. */
  readonly comma: boolean;
}

/** A place of the body that can be made to say something: a value that is there, or a gap for a member. */
export interface Place {
  /** The value that is there; null = the member is absent. */
  readonly span: Readonly<ByteSpan> | null;
  readonly gap: Gap;
  readonly name: string;
}

/** Collects changes of a body and makes ascending splices of them. */
export class Edits {
  readonly #changes: Splice[] = [];
  readonly #inserts = new Map<Gap, string[]>();

  put({ span, gap, name }: Place, json: string): void {
    if (span) this.replace(span, json);
    else {
      const members = this.#inserts.get(gap) ?? [];
      members.push(`"${name}":${json}`);
      this.#inserts.set(gap, members);
    }
  }

  replace({ start, end }: Readonly<ByteSpan>, text: string): void {
    this.#changes.push({ start, end, text });
  }

  /** Nothing has been put into this gap. */
  isOpen(gap: Gap): boolean {
    return !this.#inserts.has(gap);
  }

  splices(): readonly Splice[] {
    for (const [{ start, end, comma }, members] of this.#inserts)
      this.#changes.push({ start, end, text: members.join(',') + (comma ? ',' : '') });
    this.#inserts.clear();
    return this.#changes.toSorted((a, b) => a.start - b.start);
  }
}
