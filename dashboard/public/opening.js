// Before anything is drawn: the colours that were chosen here, and the frame of the pages for who was signed in here.
(() => {
  const { documentElement: page } = document;
  const chosen = localStorage.getItem('mantine-color-scheme-value');
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  page.dataset.mantineColorScheme = dark ? 'dark' : 'light';
  const isEntrance = ['/sign-in', '/claim', '/join'].includes(location.pathname);
  if (!isEntrance && localStorage.getItem('tollbook-workspace')) page.dataset.opening = 'pages';
})();
