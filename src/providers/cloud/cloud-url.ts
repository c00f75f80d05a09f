import { TollbookError } from '../../domain/errors.ts';
import type { ProviderKind } from '../../domain/identity/custom-provider.ts';
import { vertexUrl } from './vertex.ts';

/** Address of a provider that the operator adds: its URL, or the place at a cloud from which the URL follows. */
interface ProviderPlace {
  readonly kind: ProviderKind | null;
  readonly url?: string | undefined;
  readonly project?: string | undefined;
  readonly region?: string | undefined;
}

const REGION = /^[a-z]{2,16}(?:-[a-z0-9]{1,16}){0,4}$/;
/** Ids of projects, also those of a domain (`example.com:project`). */
const PROJECT = /^[a-z][a-z0-9.:-]{0,62}[a-z0-9]$/;

/** Returns the URL of a provider. Throws a `TollbookError` (`invalid`) that names the field. */
export function providerUrl({ kind, url, project, region }: ProviderPlace): string {
  if (url !== undefined) {
    if (project === undefined && region === undefined) return url;
    throw new TollbookError('invalid', 'Give the URL, or the region (and project). The URL follows from these.', 'url');
  }
  if (kind !== 'vertex') throw new TollbookError('invalid', 'The URL of the provider is missing.', 'url');
  const place = requirePlace(REGION, region, 'region', 'us-east5');
  return vertexUrl(requirePlace(PROJECT, project, 'project', 'my-project-123'), place);
}

function requirePlace(form: RegExp, text: string | undefined, field: string, example: string): string {
  if (text !== undefined && form.test(text)) return text;
  throw new TollbookError(
    'invalid',
    text === undefined
      ? `The ${field} is missing. Enter one such as ${example}, or a URL.`
      : `"${text.slice(0, 64)}" is not a valid ${field}. Enter one such as ${example}.`,
    field,
  );
}
