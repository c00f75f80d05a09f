import type { ByteSpan } from '../lib/json/scan-record.ts';
import type { BodySplice } from './provider.ts';

/** Place for new members of an object, which replace the bytes `[start, end)`. */
export interface MemberGap extends Readonly<ByteSpan> {
  /** Members follow, so a comma is needed. */
  readonly comma: boolean;
}

/** Place of a member in the body: its value, or a gap for it. */
export interface MemberPlace {
  /** The current value; null = the member is absent. */
  readonly span: Readonly<ByteSpan> | null;
  readonly gap: MemberGap;
  readonly name: string;
}

/** Collects changes of a body and turns them into ascending splices. */
export class BodyEdits {
  readonly #changes: BodySplice[] = [];
  readonly #inserts = new Map<MemberGap, string[]>();

  put({ span, gap, name }: MemberPlace, json: string): void {
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

  /** Returns true if nothing has been put into this gap. */
  isOpen(gap: MemberGap): boolean {
    return !this.#inserts.has(gap);
  }

  splices(): readonly BodySplice[] {
    for (const [{ start, end, comma }, members] of this.#inserts)
      this.#changes.push({ start, end, text: members.join(',') + (comma ? ',' : '') });
    this.#inserts.clear();
    return this.#changes.toSorted((a, b) => a.start - b.start);
  }
}
