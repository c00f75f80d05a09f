import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { afterMutations, createQueryClient } from '../shared/api/query-client.ts';
import { accountQuery } from '../shared/session/account.ts';
import { theme } from '../shared/theme/theme.ts';
import { createAppRouter } from './routes.tsx';

const client = createQueryClient(() =>
  afterMutations(client, () => void client.invalidateQueries({ queryKey: accountQuery.queryKey })),
);
// Every page waits for the account, and the document has already started to fetch it.
void client.prefetchQuery(accountQuery);
const router = createAppRouter();

export function App(): ReactNode {
  return (
    // Values and classes are in the style sheets: the content security policy allows no inline styles.
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
