import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageLink } from './page-link.tsx';

interface ButtonLinkProps {
  readonly to: string;
  readonly variant?: 'filled' | 'default';
  readonly children: ReactNode;
}

/** A link to a page that is the next step: it looks like a button. */
export function ButtonLink({ to, variant = 'filled', children }: ButtonLinkProps): ReactNode {
  return (
    <Button component={PageLink} to={to} variant={variant}>
      {children}
    </Button>
  );
}
