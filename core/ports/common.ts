/** Organizations that a caller may access; `'all'` for the runtime and for keys without a scope. */
export type OrganizationScope = 'all' | readonly string[]

/** Asks for one page of a list. */
export interface ListRequest {
  /** 1 to 200. */
  readonly limit: number
  /** `nextCursor` of the page before; absent for the first page. */
  readonly cursor?: string | undefined
  /** For lists without another sort order. Default: newest first. */
  readonly oldestFirst?: boolean | undefined
}

export interface ListPage<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
  readonly total: number
}

/** The revision that the editor has seen; undefined: edit any revision. */
export type SeenRevision = number | undefined
