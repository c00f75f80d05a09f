import { clientLines } from '../../core/client-lines.ts';
import { keyClients } from '../contract-keys.ts';
import { endpoint } from '../endpoint.ts';

/** The specification's word for a wrapped key that is not known. */
const PLACEHOLDER = '<WRAPPED_KEY>';

export const keyClientLines = endpoint({
  method: 'GET',
  path: '/api/manage/keys/{id}/clients',
  summary: 'Lines that are ready to be used with a wrapped key, per client',
  scope: 'admin',
  right: 'read',
  answer: keyClients,
  async handle({ caller, path }, { records, settings }) {
    const { provider } = await records.keys.get(caller.workspaceId, path.id);
    const clients = clientLines(provider, settings.baseUrl, PLACEHOLDER);
    return {
      placeholder: PLACEHOLDER,
      clients: clients.map(({ client, lines }) => ({ client, lines: [...lines] })),
    };
  },
});
