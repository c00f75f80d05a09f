import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** Tags as `key=value`; whatever they hold is text. A long one is cut, and whole in its title. */
export function TagList({ tags }: { readonly tags: Readonly<Record<string, string>> }): ReactNode {
  return Object.entries(tags).map(([key, value]) => (
    <Badge key={key} variant="light" color="gray" tt="none" fw={500} mr={4} title={`${key}=${value}`}>
      {key}={value}
    </Badge>
  ));
}
