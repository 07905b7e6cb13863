/** A mention that is being typed: where its `@` is, and the characters behind it. */
export interface TypedMention {
  readonly from: number
  readonly query: string
}

const longest = 60

/** The mention before the caret; undefined if there is none. An `@` within a word belongs to an e-mail address. */
export function mentionBefore(text: string, caret: number): TypedMention | undefined {
  const line = text.slice(Math.max(0, caret - longest), caret)
  const [, query] = /(?:^|[^\p{L}\p{N}_])@([^@\n]*)$/u.exec(line) ?? []
  return query === undefined ? undefined : { from: caret - query.length - 1, query }
}

/** At most eight people whose name or address has a word that begins with the query. */
export function peopleNamed(people: readonly string[], query: string): readonly string[] {
  const wanted = query.toLowerCase()
  const matches = (person: string): boolean =>
    person.toLowerCase().startsWith(wanted) || person.toLowerCase().includes(` ${wanted}`)
  return people.filter(matches).slice(0, 8)
}

/** The text with the mention of this person, and where the caret goes. */
export function withMention(text: string, { from, query }: TypedMention, person: string) {
  const before = `${text.slice(0, from)}@${person} `
  const after = text.slice(from + 1 + query.length)
  return { text: before + after.replace(/^ /, ''), caret: before.length }
}
