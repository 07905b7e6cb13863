/** The beginnings of the decisions of people that earlier versions stored as notes. */
const composed = /^(?:answered '|filled in the form|decided about step |The containment by )/

/**
 * Whether this note of a person is a decision that an earlier version stored as a note. It quotes texts of alerts and other systems, so it
 * is not rendered as Markdown in the name of the person.
 */
export const isComposed = (text: string): boolean => composed.test(text)
