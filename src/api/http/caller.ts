import { TollbookError } from '../../domain/errors.ts';
import { roleHas, scopeAllows, TOKEN_SCOPES } from '../../domain/identity/access.ts';
import { hashSecret } from '../../lib/crypto/cipher.ts';
import type { Caller, Endpoint } from './endpoint.ts';
import type { RequestInfo } from './request-info.ts';
import { DEFAULT_WORKSPACE } from '../../storage/records/context.ts';
import type { AccessToken } from '../../storage/records/tokens.ts';
import type { Records } from '../../storage/records/records.ts';
import type { AccountService } from './account-service.ts';

export interface CallerServices {
  readonly records: Records;
  readonly accounts: AccountService;
}

/** Header in which the owner and signed-in people name a workspace; an access token has its own. */
export const WORKSPACE_HEADER = 'x-svc-workspace';
/** Longest text that is hashed as a secret; all secrets of Tollbook are shorter. */
const SECRET_CHARACTERS_MAX = 200;

/**
 * Finds the access token of a request. Missing, malformed, unknown, expired and revoked tokens get the same 401. A
 * wrapped key gets a 403 that says what is needed instead.
 */
export async function readToken(request: Request, services: Pick<CallerServices, 'records'>): Promise<AccessToken> {
  return (await readTokenSecret(request, services)).token;
}

/** Finds the access token of a request, with its text. */
export async function readTokenSecret(
  request: Request,
  services: Pick<CallerServices, 'records'>,
): Promise<{ readonly token: AccessToken; readonly secret: string }> {
  const header = request.headers.get('authorization');
  if (header === null)
    throw new TollbookError(
      'missing_secret',
      'This needs an access token. Send "Authorization: Bearer <token>". Create one with: tollbook tokens create --name NAME',
    );
  const secret = /^bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '';
  if (secret !== '' && secret.length <= SECRET_CHARACTERS_MAX) {
    const hash = hashSecret(secret);
    const token = await services.records.tokens.findByHash(hash);
    if (token) return { token, secret };
    if (await services.records.keys.findByHash(hash))
      throw new TollbookError(
        'wrong_secret',
        'A wrapped key works only for the proxy. Use an access token here: tollbook tokens create --name NAME',
      );
  }
  throw new TollbookError(
    'unknown_secret',
    'This access token is unknown, expired or revoked. Create one with: tollbook tokens create --name NAME',
  );
}

export function tokenCaller(token: AccessToken): Caller {
  return {
    actor: token.id,
    workspaceId: token.workspaceId,
    isOwner: false,
    namesWorkspace: true,
    scopes: token.scopes,
    role: null,
  };
}

/**
 * Returns the signed-in person as a caller in the workspace that the request names, or in their first one; null = not
 * signed in. Throws `not_found` for a workspace of others, with the same message as for one that does not exist.
 */
export async function personCaller(
  requestInfo: RequestInfo,
  named: string | null,
  services: CallerServices,
): Promise<Caller | null> {
  const { accounts, records } = services;
  const userId = await accounts.find(requestInfo, false);
  if (userId === null) return null;
  const memberships = await records.members.of(userId);
  const membership = named === null ? memberships[0] : memberships.find(({ workspaceId }) => workspaceId === named);
  if (!membership)
    throw new TollbookError(
      'not_found',
      named === null ? 'You are not a member of any workspace. Ask an admin for an invitation.' : noWorkspace(named),
    );
  const { workspaceId, role } = membership;
  return { actor: userId, workspaceId, isOwner: false, namesWorkspace: true, scopes: TOKEN_SCOPES, role };
}

function noWorkspace(id: string): string {
  return `There is no workspace "${id}".`;
}

/** Returns the owner of the data folder as a caller with all rights in the workspace that the request names. */
export async function ownerCaller(request: Request, services: Pick<CallerServices, 'records'>): Promise<Caller> {
  const named = request.headers.get(WORKSPACE_HEADER);
  const workspace = await services.records.workspaces.get(named ?? DEFAULT_WORKSPACE);
  const namesWorkspace = named !== null;
  return { actor: 'owner', workspaceId: workspace.id, isOwner: true, namesWorkspace, scopes: TOKEN_SCOPES, role: null };
}

/** @throws TollbookError `missing_scope` with a sentence that names what is missing. */
export function checkAllowed(caller: Caller, { right, scope }: Pick<Endpoint, 'right' | 'scope'>): void {
  if (right === 'public' || scope === null || caller.isOwner) return;
  const ofInstallation = caller.workspaceId === DEFAULT_WORKSPACE;
  if (right === 'folder')
    throw new TollbookError(
      'missing_scope',
      'This is for the owner of the data folder. Use the command line on the machine with the data folder.',
    );
  if (right === 'operate' && !(caller.role && roleHas(caller.role, right, ofInstallation)))
    throw new TollbookError(
      'missing_scope',
      `This affects the whole installation. Sign in as an owner of the workspace ${DEFAULT_WORKSPACE}, or use the command line on the machine with the data folder; access tokens can't do it.`,
    );
  if (caller.role && !roleHas(caller.role, right, ofInstallation))
    throw new TollbookError('missing_scope', `The role ${caller.role} does not allow this. Ask an admin.`);
  if (!scopeAllows(caller.scopes, scope))
    throw new TollbookError('missing_scope', `This access token has no scope "${scope}". Use one that has it.`);
}
