import { claimLink } from '../../domain/identity/links.ts';
import { claimOffer } from '../../contract/accounts.ts';
import { endpoint } from '../http/endpoint.ts';

export const offerClaim = endpoint({
  method: 'POST',
  path: '/api/manage/claim',
  summary: 'Make the link that makes the first owner; one made before is void',
  scope: 'admin',
  right: 'folder',
  answer: claimOffer,
  status: 201,
  async handle({ caller }, { records, settings }) {
    return { link: claimLink(settings.baseUrl, await records.users.offerClaim(caller.actor)) };
  },
});
