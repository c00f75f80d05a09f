/** Patterns in user agents. Order matters: most browsers also name others. */
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
/** Maximum length of an unknown user agent. */
const SHOWN_CHARACTERS_MAX = 60;

/** Describes a user agent: `Firefox 145 on Windows`. Unknown ones are shown unchanged. */
export function browserText(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown';
  const system = SYSTEMS.find(([, says]) => says.test(userAgent))?.[0];
  for (const [name, says] of BROWSERS) {
    const version = says.exec(userAgent)?.[1];
    if (version !== undefined) return `${name} ${version}${system === undefined ? '' : ` on ${system}`}`;
  }
  return userAgent.slice(0, SHOWN_CHARACTERS_MAX);
}
