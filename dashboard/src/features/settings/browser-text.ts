/** By what a browser says of itself; the first that fits, for most of them say to be others too. */
const BROWSERS = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /\b(?:OPR|Opera)\/(\d+)/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:Chrome|HeadlessChrome|CriOS|Chromium)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)[\d.]* (?:Mobile\/\w+ )?Safari\//],
] as const;
const SYSTEMS = [
  ['Windows', /\bWindows\b/],
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const;
/** Of what says nothing that is known. */
const SHOWN_CHARACTERS_MAX = 60;

/** Browser and system in words: `Firefox 145 on Windows`. What is not known is shown as it is. */
export function browserText(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'not known';
  const system = SYSTEMS.find(([, says]) => says.test(userAgent))?.[0];
  for (const [name, says] of BROWSERS) {
    const version = says.exec(userAgent)?.[1];
    if (version !== undefined) return `${name} ${version}${system === undefined ? '' : ` on ${system}`}`;
  }
  return userAgent.slice(0, SHOWN_CHARACTERS_MAX);
}
