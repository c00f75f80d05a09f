import { MalformedReport } from './source.ts';

const FORM = /^(-?)(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;
const DIGITS_MAX = 60;
const NANO_DIGITS = 9;

/** An amount as plain decimal text, exact: `1e-7` is `0.0000001`. Throws `MalformedReport` for anything else. */
export function decimalText(value: string | number): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = FORM.exec(String(value)) ?? [];
  if (whole === '' || whole.length + fraction.length > DIGITS_MAX) throw new MalformedReport('an amount is no number');
  const point = whole.length + Number(exponent);
  const digits = `${whole}${fraction}`;
  const padded = point > 0 ? digits.padEnd(point, '0') : digits.padStart(digits.length - point + 1, '0');
  const at = Math.max(point, 1);
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '');
  const rest = padded.slice(at).replace(/0+$/, '');
  return `${sign}${integer}${rest === '' ? '' : `.${rest}`}`;
}

/** Plain decimal text of a unit worth 10^-digits US dollars in nano-USD, rounded half up once. */
export function nanoFromDecimal(text: string, unitDigits: number): number {
  const isNegative = text.startsWith('-');
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const places = NANO_DIGITS - unitDigits;
  const kept = BigInt(whole + fraction.slice(0, places).padEnd(places, '0'));
  const nano = Number(kept + (Number(fraction[places] ?? '0') >= 5 ? 1n : 0n));
  if (!Number.isSafeInteger(nano)) throw new MalformedReport('an amount is larger than any bill');
  return isNegative && nano !== 0 ? -nano : nano;
}
