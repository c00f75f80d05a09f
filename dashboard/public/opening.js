// Before anything is drawn: the colours that were chosen here, and the frame of the pages for who was signed in here.
(() => {
  const { documentElement: page } = document;
  // Where nothing may be kept, asking for it throws.
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
  const isEntrance = ['/sign-in', '/claim', '/join'].includes(location.pathname);
  if (!isEntrance && kept('tollbook-workspace')) page.dataset.opening = 'pages';
})();
