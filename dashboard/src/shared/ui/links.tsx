import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { AriaAttributes, MouseEventHandler, ReactNode } from 'react';

interface PageLinkProps extends AriaAttributes {
  /** Path of a page, for instance `/calls` or `/calls/call_…`. */
  readonly to: string;
  /** What stands in the address after the question mark; undefined fields are left out. */
  readonly search?: Readonly<Record<string, string | undefined>>;
  readonly className?: string | undefined;
  readonly title?: string;
  readonly onClick?: MouseEventHandler;
  readonly children: ReactNode;
}

const NOTHING = {};

/** A link to a page of the dashboard. The page's script is fetched when the link is pointed at. */
export function PageLink({ to, search, ...anchor }: PageLinkProps): ReactNode {
  return <Link {...anchor} to={to} search={search ?? NOTHING} preload="intent" />;
}

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
