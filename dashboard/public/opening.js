// Before the first paint: apply the chosen color scheme, and show the page frame to signed-in users.
(() => {
  const { documentElement: page } = document;
  // Throws where storage is disabled.
  const kept = (/** @type {string} */ name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  const chosen = kept('mantine-color-scheme-value');
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  page.dataset.mantineColorScheme = dark ? 'dark' : 'light';
  const isAuthPage = ['/sign-in', '/claim', '/join'].includes(location.pathname);
  if (!isAuthPage && kept('tollbook-workspace')) page.dataset.opening = 'pages';
})();
