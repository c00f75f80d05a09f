import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/**
 * A link or a form that led to another page is gone with its own: the focus then is on the heading of the new one, and
 * not at the top of the document, from where the keyboard would pass all the navigation again.
 */
export function useFocusOnNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation && pathChanged && document.activeElement === document.body) findHeadingOrMain()?.focus();
      }),
    [router],
  );
}

/** Where the page is still read, it has no heading yet. */
function findHeadingOrMain(): HTMLElement | null {
  const page = document.querySelector('main');
  return page?.querySelector('h1') ?? page;
}
