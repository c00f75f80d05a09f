import '@mantine/core/styles.layer.css';
import './shared/theme/theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';

const place = document.getElementById('root');
if (!place) throw new Error('The document has no element with the id "root".');
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
