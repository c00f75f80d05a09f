import { TollbookError } from '../core/errors.ts';
import { allows, SCOPES } from '../core/scopes.ts';
import { hashSecret } from '../lib/cipher.ts';
import type { AccessToken } from '../storage/records/records.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/records.ts';
import type { Caller, Endpoint } from './endpoint.ts';
import type { Services } from './services.ts';

/** The owner names a workspace in this header; a token has its own. */
const WORKSPACE_HEADER = 'x-svc-workspace';
/** Longer than any secret of ours: nothing longer is hashed. */
const SECRET_CHARACTERS_MAX = 200;

/**
 * The access token of a request. Absent and unknown ones get a 401 that is the same for malformed, unknown, expired
 * and revoked; a wrapped key gets a 403 that says what is needed instead.
 */
export async function readToken(request: Request, services: Services): Promise<AccessToken> {
  return (await readSecret(request, services)).token;
}

/** The same, with the token's text. */
export async function readSecret(
  request: Request,
  services: Services,
): Promise<{ readonly token: AccessToken; readonly secret: string }> {
  const header = request.headers.get('authorization');
  if (header === null)
    throw new TollbookError(
      'no_secret',
      'This needs an access token: send "Authorization: Bearer <token>". Make one with: tollbook tokens create --name NAME',
    );
  const secret = /^bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '';
  if (secret !== '' && secret.length <= SECRET_CHARACTERS_MAX) {
    const hash = hashSecret(secret);
    const token = await services.records.tokens.findByHash(hash);
    if (token) return { token, secret };
    if (await services.records.keys.findByHash(hash))
      throw new TollbookError(
        'wrong_secret',
        'This is a wrapped key, which opens only the proxy. Here an access token is needed: tollbook tokens create --name NAME',
      );
  }
  throw new TollbookError(
    'unknown_secret',
    'This access token is unknown, expired or revoked. Make one with: tollbook tokens create --name NAME',
  );
}

export function tokenCaller(token: AccessToken): Caller {
  return {
    actor: token.id,
    workspaceId: token.workspaceId,
    isOwner: false,
    namesWorkspace: true,
    scopes: token.scopes,
  };
}

/** The owner of the data folder may do everything, in the workspace the request names. */
export async function ownerCaller(request: Request, services: Services): Promise<Caller> {
  const named = request.headers.get(WORKSPACE_HEADER);
  const workspace = await services.records.workspaces.get(named ?? DEFAULT_WORKSPACE);
  const namesWorkspace = named !== null;
  return { actor: 'owner', workspaceId: workspace.id, isOwner: true, namesWorkspace, scopes: SCOPES };
}

/** @throws TollbookError `scope` with a sentence that names what is missing. */
export function checkAllowed(caller: Caller, asked: Endpoint): void {
  if (asked.ownerOnly && !caller.isOwner)
    throw new TollbookError(
      'scope',
      'This concerns the whole installation: use the command line where its data folder is.',
    );
  if (!allows(caller.scopes, asked.scope))
    throw new TollbookError('scope', `This access token has no scope "${asked.scope}": one that has it is needed.`);
}
