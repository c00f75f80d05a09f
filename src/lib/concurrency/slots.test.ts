import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_PLACE, SlotSet } from './slots.ts';

interface Item {
  place: number;
  readonly name: number;
}

test('slots equal a set, for any additions and removals', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(20)), { maxLength: 200 }), (steps) => {
      const items = Array.from({ length: 21 }, (_, name): Item => ({ place: NO_PLACE, name }));
      const slots = new SlotSet<Item>();
      const expected = new Set<Item>();
      for (const [adds, name] of steps) {
        const item = items[name] as Item;
        if (!adds) slots.remove(item);
        else if (!slots.has(item)) slots.add(item);
        if (adds) expected.add(item);
        else expected.delete(item);
      }
      const found: Item[] = [];
      slots.each((item) => found.push(item));
      expect(new Set(found)).toEqual(expected);
      expect(slots.size).toBe(expected.size);
      for (const item of items) expect(slots.has(item)).toBe(expected.has(item));
    }),
  );
});

test('an item can be removed while all are visited', () => {
  const slots = new SlotSet<Item>();
  for (let name = 0; name < 5; name += 1) slots.add({ place: NO_PLACE, name });
  slots.each((item) => slots.remove(item));
  expect(slots.size).toBe(0);
});
