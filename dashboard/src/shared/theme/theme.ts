import { createTheme } from '@mantine/core';

/** Names only: all values are in theme.css, so the content security policy needs no exception for inline styles. */
export const theme = createTheme({
  primaryColor: 'teal',
  cursorType: 'pointer',
  respectReducedMotion: true,
});
