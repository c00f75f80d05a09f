import type { QueryClient } from '@tanstack/react-query';

/**
 * Does something once no change is under way. A new password ends the session, and brings another with its answer:
 * whoever asked in between who is signed in would hear that nobody is. Returns how to call it off.
 */
export function afterMutations(client: QueryClient, act: () => void): () => void {
  if (client.isMutating() === 0) {
    act();
    return () => undefined;
  }
  const leave = client.getMutationCache().subscribe(() => {
    if (client.isMutating() > 0) return;
    leave();
    act();
  });
  return leave;
}
