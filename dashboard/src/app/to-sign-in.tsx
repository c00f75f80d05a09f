import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** Leads to the entrance, once, and from there back to where the person was when it was first shown. */
export function RedirectToSignIn(): null {
  const { href } = useLocation();
  // The address changes while it leads there: what counts is the one it began with.
  const [from] = useState(href);
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ to: '/sign-in', search: from === '/' ? {} : { to: from }, replace: true });
  }, [from, navigate]);
  return null;
}
