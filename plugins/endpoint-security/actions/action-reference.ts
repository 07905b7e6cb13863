import { createHash } from 'node:crypto'

/**
 * Marks an action as queued by this step, in any attempt. The mark goes into the comment, the only text that
 * the vendor stores with an action and returns. It also leads people from the portal to the step.
 */
export function referenceOf(idempotencyKey: string): string {
  return `[tocsin:${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 16)}]`
}

/** The comment with the reference added. */
export const commentWith = (comment: string, reference: string): string => `${comment} ${reference}`
