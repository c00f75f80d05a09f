import { expect, test } from 'vitest';
import { claimLink, invitationLink } from '../../src/domain/identity/secret.ts';
import { signedOutRoutes } from '../src/app/routes.tsx';

test.each([
  ['claims', claimLink],
  ['invites', invitationLink],
])('a link that %s leads to a page', (_, link) => {
  const { pathname } = new URL(link('https://tollbook.example', 'code'));
  const paths = signedOutRoutes.map(
    ({ options }) => 'path' in options && `/${String(options.path).replace(/^\//, '')}`,
  );
  expect(paths).toContain(pathname);
});
