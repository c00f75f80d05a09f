/** End of the name of a file with the settings and the totals of a session. */
export const SETTINGS = '.settings.json';
