/** An item of a slot set; it stores its own place. */
export interface SlotItem {
  place: number;
}

/** `place` of what is in no slot. */
export const NO_PLACE = -1;

/**
 * A set of objects that come and go all the time. Slots are used again and never move: a `Set` or `Map` that is filled
 * and emptied keeps rebuilding its table, and each dead table holds on to its last members, and to the next table,
 * until a full garbage collection (measured: a quarter of what calls allocate outlived them).
 */
export class SlotSet<T extends SlotItem> {
  readonly #slots: (T | null)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots.length - this.#free.length;
  }

  add(item: T): void {
    item.place = this.#free.pop() ?? this.#slots.length;
    this.#slots[item.place] = item;
  }

  has(item: T): boolean {
    return item.place !== NO_PLACE && this.#slots[item.place] === item;
  }

  /** Nothing happens when the item was removed before. */
  remove(item: T): void {
    if (!this.has(item)) return;
    this.#slots[item.place] = null;
    this.#free.push(item.place);
    item.place = NO_PLACE;
  }

  /** Visits every item; items may be removed meanwhile. */
  each(action: (item: T) => void): void {
    for (const item of this.#slots) if (item) action(item);
  }
}
