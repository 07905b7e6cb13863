import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(10 * 512)
let used = pool.length

/**
 * A version 7 uuid (RFC 9562): it begins with the time, so that new rows share the last pages of their index; 74 random bits
 * follow.
 */
export function makeUuid(nowMs: number): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.toString('hex', used, used + 10)
  used += 10
  const time = Math.max(0, Math.floor(nowMs)).toString(16).padStart(12, '0').slice(-12)
  const variant = ((Number.parseInt(random.slice(3, 4), 16) & 0x3) | 0x8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`
}

/** The epoch milliseconds of a version 7 uuid. */
export const timeOfUuid = (uuid: string): number => Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)
