/** A word that the book holds, as one of those it may be. */
export function storedWord<T extends string>(words: readonly T[], text: string): T {
  const word = words.find((one) => one === text);
  if (word === undefined) throw new Error(`The stored word "${text}" is none of ${words.join(', ')}`);
  return word;
}
