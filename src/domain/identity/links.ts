/** Links that hold a code behind `#`, which no browser sends anywhere and no log shows. */
export function claimLink(baseUrl: string, code: string): string {
  return `${baseUrl}/claim#${code}`;
}

export function invitationLink(baseUrl: string, code: string): string {
  return `${baseUrl}/join#${code}`;
}
