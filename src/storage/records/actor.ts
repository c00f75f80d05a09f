/** Who did it: `owner` (the control socket), an access token's id, or `system`. */
export type Actor = string;
