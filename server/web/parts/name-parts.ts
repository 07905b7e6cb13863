/** Behind these a name goes on in the next line; behind a hyphen it does so anyway. */
const joints = /(?<=[\p{L}\p{N}][_./:]+)(?=[\p{L}\p{N}])/u

/** Longer ones are texts, with blanks. */
const longestName = 200

/** What a name is made of, such as `unexpected_`, `service`: the parts that are not broken as long as there is room for them. */
export const nameParts = (name: string): readonly string[] =>
  name.length > longestName ? [name] : name.split(joints)
