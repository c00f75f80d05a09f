/** Returns a stored word as one of the allowed words. Throws for any other. */
export function storedWord<T extends string>(words: readonly T[], text: string): T {
  const word = words.find((one) => one === text);
  if (word === undefined) throw new Error(`The stored word "${text}" is none of ${words.join(', ')}`);
  return word;
}
