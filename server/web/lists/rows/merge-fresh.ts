import type { Page } from '../../api/types.ts'

type Pages<Row> = readonly Page<Row>[]

/**
 * The pages that are shown, with a newer beginning of the same list: it replaces what it reaches, so that rows are renewed,
 * come, move and leave; what is further down stays. Undefined where it holds none of the rows that are shown: between them
 * and it there would be a gap.
 */
export function mergeFresh<Row>(
  pages: Pages<Row>,
  fresh: Page<Row>,
  idOf: (row: Row) => string,
): Page<Row>[] | undefined {
  const [first] = pages
  if (first === undefined || fresh.next_cursor === null) return [fresh]
  const isFresh = idsIn([fresh], idOf)
  const places = pages.map(({ data }) => data.findLastIndex((row) => isFresh.has(idOf(row))))
  const reached = places.findLastIndex((place) => place !== -1)
  if (reached === -1) return pages.every(({ data }) => data.length === 0) ? [fresh] : undefined
  const rest = pages.map(({ data, ...page }, index) => {
    const after = index < reached ? [] : index === reached ? data.slice((places[index] ?? -1) + 1) : data
    return { ...page, data: after.filter((row) => !isFresh.has(idOf(row))) }
  })
  return rest.map((page, index) => (index === 0 ? { ...page, data: [...fresh.data, ...page.data] } : page))
}

/** The pages that are shown, of which one was asked for again by its cursor. */
export function renewPage<Row>(
  pages: Pages<Row>,
  index: number,
  renewed: Page<Row>,
  idOf: (row: Row) => string,
): Page<Row>[] {
  const elsewhere = idsIn(
    pages.filter((_, each) => each !== index),
    idOf,
  )
  return pages.map((page, each) =>
    each === index ? { ...page, data: renewed.data.filter((row) => !elsewhere.has(idOf(row))) } : page,
  )
}

function idsIn<Row>(pages: Pages<Row>, idOf: (row: Row) => string): ReadonlySet<string> {
  return new Set(pages.flatMap(({ data }) => data.map(idOf)))
}
