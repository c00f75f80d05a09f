/**
 * Compiles a pattern in which `*` stands for any characters, also for none; letters count in any case. The pieces
 * between the stars are searched once each, from left to right: nothing is ever tried twice, whatever the name.
 */
export function compilePattern(text: string): (name: string) => boolean {
  const [first = '', ...rest] = text.trim().toLowerCase().split('*');
  const last = rest.pop();
  if (last === undefined) return (name) => name.toLowerCase() === first;
  const between = rest.filter((piece) => piece !== '');
  return (written) => {
    const name = written.toLowerCase();
    const end = name.length - last.length;
    if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    let from = first.length;
    for (const piece of between) {
      const at = name.indexOf(piece, from);
      if (at < 0) return false;
      from = at + piece.length;
    }
    return from <= end;
  };
}
