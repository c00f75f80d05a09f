import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Leads who is signed in already to where they wanted to go. */
export function RedirectTo({ to }: { readonly to: string }): null {
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ href: to, replace: true });
  }, [navigate, to]);
  return null;
}
