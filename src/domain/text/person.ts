/** Tag that says who made a call, by the convention of the manual. */
export const PERSON_TAG = 'user';
