import { emailKey, isActive, type Account } from '../access/account.ts'
import { permissionsOf, type CustomRole } from '../access/permissions.ts'

/** A person who is mentioned in a note, also its form in the API. */
export interface Mention {
  readonly account_id: string
  /** At the time of the note. */
  readonly name: string
}

type Person = Pick<Account, 'uuid' | 'name' | 'email'>

/** The people who may act on the cases of an organization, by name. */
export const peopleFor = (
  accounts: readonly Account[],
  organizationUuid: string,
  custom: readonly CustomRole[],
): readonly Account[] =>
  accounts
    .filter(
      (account) =>
        isActive(account) &&
        account.roles.some(
          (given) =>
            (given.organizationUuid === null || given.organizationUuid === organizationUuid) &&
            permissionsOf(given.role, custom, given.organizationUuid).includes('cases:write'),
        ),
    )
    .toSorted((a, b) => a.name.localeCompare(b.name))

/** Per note. */
const maxMentions = 50

/**
 * The people named in a text after `@`, by name or e-mail address in any letter case, each once. The longest name counts, and a name
 * that several people have counts for none of them: the e-mail address tells them apart.
 */
export function mentionsIn(text: string, people: readonly Person[]): readonly Mention[] {
  const lowered = text.toLowerCase()
  // Lower-casing can change the length, e.g. of a dotted capital I. Such a text has no mentions.
  if (lowered.length !== text.length || !text.includes('@')) return []
  const named = new Map<string, number>()
  for (const { name } of people) named.set(name.toLowerCase(), (named.get(name.toLowerCase()) ?? 0) + 1)
  const known = people
    .flatMap((person) => [
      { person, word: emailKey(person.email) },
      ...(named.get(person.name.toLowerCase()) === 1 ? [{ person, word: person.name.toLowerCase() }] : []),
    ])
    .filter(({ word }) => word !== '')
    .toSorted((a, b) => b.word.length - a.word.length)
  const found = new Map<string, Mention>()
  for (let at = text.indexOf('@'); at !== -1 && found.size < maxMentions; at = text.indexOf('@', at + 1)) {
    if (at > 0 && isWordCharacter(text[at - 1]!)) continue
    const match = known.find(
      ({ word }) => lowered.startsWith(word, at + 1) && !isWordCharacter(text[at + 1 + word.length] ?? ' '),
    )
    if (match !== undefined)
      found.set(match.person.uuid, { account_id: match.person.uuid, name: match.person.name })
  }
  return [...found.values()]
}

const isWordCharacter = (character: string): boolean => /[\p{L}\p{N}_]/u.test(character)
