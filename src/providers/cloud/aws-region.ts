import { TollbookError } from '../../domain/errors.ts';

/** Hosts of AWS that have a region. */
const REGIONAL_HOST =
  /(?:^|\.)(bedrock-runtime|bedrock-mantle|aws-external-anthropic)(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com(?:\.cn)?|vpce\.amazonaws\.com|api\.aws)$/;

/** Returns the region that signatures name: the one given, or that of the URL. */
export function requireRegion(url: string, given: string | null | undefined): string {
  const region = given ?? REGIONAL_HOST.exec(URL.parse(url)?.hostname ?? '')?.[2];
  if (region !== undefined) return region;
  throw new TollbookError(
    'invalid',
    `"${url}" does not say which region of AWS it is in. Enter the region too, for example us-east-1.`,
    'region',
  );
}
