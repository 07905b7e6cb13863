import { createHash } from 'node:crypto'

/**
 * What marks an action as the one of this very step, whichever attempt sent it. It stands in the comment, which is the only text
 * that the vendor keeps with an action and gives back, and leads people from the portal to the step.
 */
export function referenceOf(idempotencyKey: string): string {
  return `[tocsin:${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 16)}]`
}

/** The comment as it is sent. */
export const commentWith = (comment: string, reference: string): string => `${comment} ${reference}`
