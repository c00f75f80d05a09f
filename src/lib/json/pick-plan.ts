/** What to do with the value at one place of a document. */
export interface PickNode {
  /** `descend` into a container, `capture` the value, or `measure` its bytes. */
  readonly action: 'descend' | 'capture' | 'measure';
  /** Handed to the receiver with the value; −1 = nothing is handed over. For a container: told when it closes. */
  readonly slot: number;
  /** A captured value longer than this is left out, and said to be `oversize`. */
  readonly bytesMax: number;
  /** Wanted members, by the length of their names in bytes. */
  readonly byLength: readonly (readonly PickMember[] | undefined)[];
  /** There are wanted members. */
  readonly named: boolean;
  readonly element: PickNode | null;
}

interface PickMember {
  /** UTF-8 of the member's name. */
  readonly name: Uint8Array;
  readonly node: PickNode;
}

const CAPTURE_BYTES_MAX = 65_536;

/** Capture the value and hand it over, parsed. */
export function capture(slot: number, bytesMax: number = CAPTURE_BYTES_MAX): PickNode {
  return { action: 'capture', slot, bytesMax, byLength: [], named: false, element: null };
}

/** Count the bytes of the value: of a string its text, of anything else its JSON. */
export function measure(): PickNode {
  return { action: 'measure', slot: -1, bytesMax: 0, byLength: [], named: false, element: null };
}

/** Look into an object (`members`) or an array (`element`), whichever stands there; `closed` is told at its end. */
export function look(
  members: Readonly<Record<string, PickNode>>,
  element: PickNode | null = null,
  closed = -1,
): PickNode {
  const byLength: PickMember[][] = [];
  for (const [text, node] of Object.entries(members)) {
    const name = new TextEncoder().encode(text);
    (byLength[name.length] ??= []).push({ name, node });
  }
  const named = byLength.length > 0;
  return { action: 'descend', slot: closed, bytesMax: 0, byLength, named, element };
}

/** Look into every element of an array. */
export function eachElement(element: PickNode): PickNode {
  return look({}, element);
}
