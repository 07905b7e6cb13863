/** The name of a command. */
export const wordOf = (usage: string): string => usage.split(' ', 1)[0] ?? ''

/**
 * The arguments after the name: one word each, the last one takes the rest. Undefined for a missing or
 * surplus argument.
 *
 * @example argumentsIn('reply <message> <text>', '3 not me') // ['3', 'not me']
 */
export function argumentsIn(usage: string, typed: string): readonly string[] | undefined {
  const parameters = usage.match(/<[^>]+>|\[[^\]]+\]/g) ?? []
  const found: string[] = []
  let rest = typed.trim()
  for (const [index, parameter] of parameters.entries()) {
    const isLast = index === parameters.length - 1
    const [word = ''] = isLast ? [rest] : /^\S*/.exec(rest)!
    if (word === '' && parameter.startsWith('<')) return undefined
    found.push(word)
    rest = rest.slice(word.length).trim()
  }
  return rest === '' ? found : undefined
}
