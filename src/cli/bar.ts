const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Draws a share between 0 and 1 as a bar, at most `width` characters long. A share above 0 is always seen. */
export function drawBar(share: number, width: number): string {
  const eighths = Math.min(width * 8, Math.round(share * width * 8));
  if (eighths <= 0) return share > 0 ? '▏' : '';
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}
