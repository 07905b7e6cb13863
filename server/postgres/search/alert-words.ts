import type { Dialect } from '../../sql/database/database.ts'
import { wordsIn } from './words.ts'

/**
 * What `alert_search` holds of an alert, as the text of a tsvector: its words with their positions, and each two short numbers that follow
 * each other as one lexeme. The index does not know positions; without these pairs it would find an IP address in most alerts, and read
 * them all. Words cannot hold quotes.
 *
 * A tsvector ends at position 16,383 and at 255 positions of a word. A text with more has no positions, but the lexeme `unplaced`: it also
 * matches where the parts of an address are not in sequence. The size stays far below the limit of 1 MB for the 65,536 characters of an
 * alert that are searched.
 */
export function wordVector(text: string): string {
  const words = wordsIn(text).map(cut)
  const positions = positionsOf(words)
  const placed = (word: string): string =>
    positions === undefined ? '' : `:${positions.get(word)?.join(',')}`
  const lexemes = [...new Set(words)].map((word) => `'${word}'${placed(word)}`)
  if (positions === undefined) lexemes.push(`'${unplaced}'`)
  return [...lexemes, ...new Set(pairsOf(words).map((pair) => `'${pair}'`))].join(' ')
}

/**
 * A tsquery for alerts that contain all words of a search, in any order and case. A word with punctuation matches its parts in sequence; one
 * that ends with `*` matches beginnings. Undefined: nothing can match, because a word has no letters and digits.
 */
export function wordQuery(search: string): string | undefined {
  const queries = search.trim().split(/\s+/).slice(0, maxWords).map(queryOf)
  return queries.includes(undefined) ? undefined : queries.join(' & ')
}

export const postgresDialect: Dialect = {
  indexAlerts: (alerts) => [
    {
      sql: `INSERT INTO alert_search (rowid, words) SELECT CAST(i.value AS bigint), CAST(w.value AS tsvector)
        FROM json_each(?) i JOIN json_each(?) w ON w.key = i.key`,
      values: [
        JSON.stringify(alerts.map(({ id }) => id)),
        JSON.stringify(alerts.map(({ text }) => wordVector(text))),
      ],
    },
  ],
  searchCondition(search) {
    const query = wordQuery(search)
    return query === undefined
      ? { sql: 'false', values: [] }
      : { sql: 's.words @@ CAST(? AS tsquery)', values: [query] }
  },
}

/** Characters of a lexeme, which has less than 2 KB. Longer words match by their beginning. */
const maxLexeme = 500
const cut = (word: string): string => word.slice(0, maxLexeme).toWellFormed()

const [maxPosition, maxPositions] = [16_383, 255]
const unplaced = ' '

/** As in `sqlite-database.ts`. */
const maxWords = 20

const shortNumber = /^\d{1,3}$/

/** The space in front keeps them from matching the beginning of a word. */
const pairsOf = (words: readonly string[]): string[] =>
  words.flatMap((word, index) => {
    const before = words[index - 1]
    return before !== undefined && shortNumber.test(before) && shortNumber.test(word)
      ? [` ${before} ${word}`]
      : []
  })

/** Undefined: too many. */
function positionsOf(words: readonly string[]): ReadonlyMap<string, readonly number[]> | undefined {
  if (words.length > maxPosition) return undefined
  const positions = new Map<string, number[]>()
  for (const [index, word] of words.entries()) {
    const known = positions.get(word)
    if (known === undefined) positions.set(word, [index + 1])
    else if (known.push(index + 1) > maxPositions) return undefined
  }
  return positions
}

function queryOf(word: string): string | undefined {
  const parts = wordsIn(word.toWellFormed()).map(cut)
  const isBeginning = word.endsWith('*')
  const lexemes = parts.map(
    (part, index) => `'${part}'${isBeginning && index === parts.length - 1 ? ':*' : ''}`,
  )
  if (lexemes.length < 2) return lexemes[0]
  // The last part of a beginning may be longer in the text.
  const pairs = pairsOf(isBeginning ? parts.slice(0, -1) : parts).map((pair) => `'${pair}' & `)
  return `(${pairs.join('')}(${lexemes.join(' <-> ')} | '${unplaced}' & ${lexemes.join(' & ')}))`
}
