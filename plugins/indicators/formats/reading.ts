/** A labelled value in a text, like a member of a JSON object. */
export interface NamedValue {
  readonly key: string
  /** The label of the enclosing block, `''` if there is none. */
  readonly parentKey: string
  readonly value: string
}

/** The content of a text in a known format: records of labelled values, and the remaining text. */
export interface FormatReading {
  readonly records: readonly (readonly NamedValue[])[]
  readonly rest: string
  /** Of a mail: the recipients' domains, which are mostly internal. */
  readonly recipientDomains?: ReadonlySet<string>
}

/** Words of a sentence, not of a key: `Note to the user: beware`, `Dear user, hello`. */
export const isSentence = (key: string): boolean => sentenceWord.test(key)

const sentenceWord =
  /\b(?:the|an?|this|that|these|for|of|to|by|on|in|our|your|their|his|her|its|no|new|each|every|dear|hello|hi|note|per|with|and|or|threat|how|why|what|if)\b/i

export const nothingRead = (rest: string): FormatReading => ({ records: [], rest })
