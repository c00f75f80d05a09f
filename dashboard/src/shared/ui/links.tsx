import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { AriaAttributes, MouseEvent, MouseEventHandler, ReactNode } from 'react';

interface PageLinkProps extends AriaAttributes {
  /** Path of a page, for example `/calls` or `/calls/call_…`. */
  readonly to: string;
  /** Search parameters; undefined fields are left out. */
  readonly search?: Readonly<Record<string, string | undefined>>;
  /** ID of a heading to scroll to. */
  readonly hash?: string;
  readonly className?: string | undefined;
  readonly title?: string;
  readonly onClick?: MouseEventHandler;
  readonly children: ReactNode;
}

const NOTHING = {};

/** A link to a page of the dashboard. The page's script loads when the link is hovered. */
export function PageLink({ to, search, ...anchor }: PageLinkProps): ReactNode {
  return <Link {...anchor} to={to} search={search ?? NOTHING} preload="intent" />;
}

/** Opens something on the page instead of following a link, unless the link opens a tab or window. */
export function openHere(event: MouseEvent, open: () => void): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  open();
}

interface ButtonLinkProps {
  readonly to: string;
  readonly search?: PageLinkProps['search'] | undefined;
  readonly variant?: 'filled' | 'default';
  readonly children: ReactNode;
}

/** A link that looks like a button, for the next step. */
export function ButtonLink({ to, search, variant = 'filled', children }: ButtonLinkProps): ReactNode {
  return (
    <Button component={PageLink} to={to} {...(search && { search })} variant={variant}>
      {children}
    </Button>
  );
}
