import { TollbookError } from '../../domain/errors.ts';
import { clientLines } from '../../providers/client-lines.ts';
import { keyClients } from '../../contract/keys.ts';
import { endpoint } from '../http/endpoint.ts';

/** The specification's word for a wrapped key that is not known. */
const PLACEHOLDER = '<WRAPPED_KEY>';

export const keyClientLines = endpoint({
  method: 'GET',
  path: '/api/manage/keys/{id}/clients',
  summary: 'Lines that are ready to be used with a wrapped key, per client',
  scope: 'admin',
  right: 'read',
  answer: keyClients,
  async handle({ caller, path }, { records, providers, settings }) {
    const { provider: id } = await records.keys.get(caller.workspaceId, path.id);
    const provider = providers.get(id);
    if (!provider) throw new TollbookError('not_found', `The provider "${id}" of this key was removed; add it again.`);
    const clients = clientLines(provider, settings.baseUrl, PLACEHOLDER);
    return {
      placeholder: PLACEHOLDER,
      clients: clients.map(({ client, lines }) => ({ client, lines: [...lines] })),
    };
  },
});
