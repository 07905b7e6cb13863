/** A statement as PostgreSQL wants it. */
export interface PreparedText {
  readonly sql: string
  /** The same on all connections. */
  readonly name: string
  /** Position in the lists that each connection keeps. */
  readonly index: number
}

const kept = new Map<string, PreparedText>()

/** Translates a statement of the stores. SQL texts are from a finite set, so each is translated once. */
export function prepared(sql: string): PreparedText {
  let text = kept.get(sql)
  if (text === undefined) {
    text = { sql: translate(sql), name: `t${kept.size}`, index: kept.size }
    kept.set(sql, text)
  }
  return text
}

/** Literals, quoted names, comments, and what is to be replaced outside of them. */
const parts = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/|\?|\bCROSS JOIN\b/gi

/**
 * `?` becomes `$1`, `$2` and so on. `CROSS JOIN … ON` forces the order of a join in SQLite and is an error in PostgreSQL, which gets
 * `JOIN … ON`.
 */
function translate(sql: string): string {
  let number = 0
  return sql.replaceAll(parts, (part) => {
    if (part === '?') return `$${++number}`
    return part.length === 10 && part.toUpperCase() === 'CROSS JOIN' ? 'JOIN' : part
  })
}
