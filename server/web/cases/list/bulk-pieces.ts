import type { CaseChange } from '../../api/types.ts'
import { maxCases, piecesOf, type BulkChoice, type BulkResult } from './bulk-changes.ts'

/** The same change of chosen cases. */
export interface BulkPart {
  readonly choice: BulkChoice
  readonly changes: CaseChange
}

interface BulkAnswer {
  readonly data: readonly BulkResult[]
  readonly next_cursor: string | null
}

export type PostBulk = (body: object, idempotencyKey: string) => Promise<BulkAnswer>

interface Piece {
  readonly body: object
  /** Cases that this piece and its further pages are about, as far as known. */
  readonly left: number
}

/** The requests of a change of many cases. */
export interface BulkPieces {
  /** Number of cases of the next request; undefined: there is none. */
  next(): number | undefined
  /** Sends the next request. After an error, the same one is sent again with the same key. */
  send(): Promise<readonly BulkResult[]>
}

export function bulkPieces(parts: readonly BulkPart[], post: PostBulk): BulkPieces {
  let rest = parts.flatMap(piecesOfPart)
  let key = crypto.randomUUID()
  return {
    next: () => rest[0] && Math.min(rest[0].left, maxCases),
    async send() {
      const [piece, ...others] = rest
      if (piece === undefined) return []
      const { data, next_cursor: cursor } = await post(piece.body, key)
      key = crypto.randomUUID()
      const left = Math.max(1, piece.left - data.length)
      rest = cursor === null ? others : [{ body: { ...piece.body, cursor }, left }, ...others]
      return data
    },
  }
}

function piecesOfPart({ choice, changes }: BulkPart): readonly Piece[] {
  if ('cases' in choice)
    return piecesOf(choice.cases).map((cases) => ({ body: { cases, changes }, left: cases.length }))
  const { filter, since, total } = choice
  return [{ body: { filter, unchanged_since: since, changes }, left: total }]
}
