const ELLIPSIS = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The longest beginning of a text that is at most `lengthMax` UTF-16 units long once it is rendered, with an ellipsis
 * where something is missing. What a reader sees as one character is never torn, nor what `render` makes of it.
 * @param render for instance an escape; never shortens a text
 */
export function cut(text: string, lengthMax: number, render: (text: string) => string = (same) => same): string {
  if (text.length <= lengthMax) {
    const whole = render(text);
    if (whole.length <= lengthMax) return whole;
  }
  const ends: number[] = [];
  for (const { index } of graphemes.segment(text)) {
    if (index >= lengthMax) break;
    ends.push(index);
  }
  const beginning = (count: number): string => render(text.slice(0, ends[count]).trimEnd() + ELLIPSIS);
  let [fits, tooMany] = [0, ends.length];
  while (tooMany - fits > 1) {
    const count = (fits + tooMany) >> 1;
    if (beginning(count).length <= lengthMax) fits = count;
    else tooMany = count;
  }
  return beginning(fits);
}
