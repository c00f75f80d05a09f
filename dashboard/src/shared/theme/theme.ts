import { createTheme } from '@mantine/core';

/**
 * Names only: every value is in theme.css, so that no style is ever written into the page and the policy needs no
 * exception for one.
 */
export const theme = createTheme({
  primaryColor: 'teal',
  cursorType: 'pointer',
  respectReducedMotion: true,
});
