import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageLink, type PageLinkProps } from './page-link.tsx';

interface ButtonLinkProps {
  readonly to: string;
  readonly search?: PageLinkProps['search'] | undefined;
  readonly variant?: 'filled' | 'default';
  readonly children: ReactNode;
}

/** A link to a page that is the next step: it looks like a button. */
export function ButtonLink({ to, search, variant = 'filled', children }: ButtonLinkProps): ReactNode {
  return (
    <Button component={PageLink} to={to} {...(search && { search })} variant={variant}>
      {children}
    </Button>
  );
}
