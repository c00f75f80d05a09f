import { fileURLToPath } from 'node:url';

/** Where the build puts the dashboard, seen from the sources as well as from what is compiled of them. */
export const DASHBOARD_FOLDER = fileURLToPath(new URL('../../dist/dashboard', import.meta.url));
