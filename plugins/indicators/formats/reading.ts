/** A value that a text gives a name to, as a member of a JSON object has one. */
export interface NamedValue {
  readonly key: string
  /** The name of what stands around it, `''` for nothing. */
  readonly parentKey: string
  readonly value: string
}

/** What a text in a known format says: named values that belong together, and the text without them. */
export interface Reading {
  readonly records: readonly (readonly NamedValue[])[]
  readonly rest: string
  /** Of a mail: the domains of those it is addressed to, which are mostly one's own. */
  readonly recipientDomains?: ReadonlySet<string>
}

/** Words of a sentence, not of a key: `Note to the user: beware`, `Dear user, hello`. */
export const isSentence = (key: string): boolean => sentenceWord.test(key)

const sentenceWord =
  /\b(?:the|an?|this|that|these|for|of|to|by|on|in|our|your|their|his|her|its|no|new|each|every|dear|hello|hi|note|per|with|and|or|threat|how|why|what|if)\b/i

export const nothingRead = (rest: string): Reading => ({ records: [], rest })
