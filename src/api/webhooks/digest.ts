import { digest } from '../../contract/digest.ts';
import { endpoint } from '../http/endpoint.ts';

export const previewDigest = endpoint({
  method: 'GET',
  path: '/api/mcp/digest',
  summary: 'The digest of the last week that is over',
  description:
    'As webhooks with `digest: weekly` get it on Monday at 08:00 of the workspace’s time zone. Limits are shown as they stand now.',
  scope: 'usage:read',
  right: 'read',
  answer: digest,
  async handle({ caller }, { digests }) {
    const { id, title, message, facts, data } = await digests.preview(caller.workspaceId);
    return { id, title, message, facts: [...facts], data: { ...data } };
  },
});
