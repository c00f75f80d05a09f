import { TollbookError } from '../errors.ts';

/** RFC 5321 §4.5.3.1.3, without the brackets. */
const EMAIL_CHARACTERS_MAX = 254;

/** An e-mail address as it is stored and compared: in lower case. It is not verified. */
export function parseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length > EMAIL_CHARACTERS_MAX || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) || !email.isWellFormed())
    throw new TollbookError('invalid', 'This is not an email address.', 'email');
  return email;
}
