import { describeAlert } from '../alert-source/index.ts'
import { extractingSkill, listed, type Named } from '../case/observables.ts'
import type { Alert } from '../domain/alert.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { normalizeAll, type ObservableKey } from './normalize-observable.ts'

/** Indexed observables of one alert: an attacker chooses how many an alert has. */
const maxObservablesOfAlert = 100

/** Characters of an alert that are searched; fields of known products are read from all of it. */
const searchedCharacters = 32_000

/**
 * The observables of an alert: the fields that its product declares, then those that `indicators.extract` finds in its text. At most
 * `maxObservablesOfAlert`. Never throws.
 */
export async function observablesOfAlert(
  alert: Pick<Alert, 'content'>,
  catalogue: Pick<Catalogue, 'skill'>,
): Promise<readonly ObservableKey[]> {
  const declared = describeAlert(alert).observables
  const found = await extract(alert.content.slice(0, searchedCharacters), catalogue)
  return normalizeAll([...declared, ...found], maxObservablesOfAlert)
}

/** Nothing without the skill. */
async function extract(text: string, catalogue: Pick<Catalogue, 'skill'>): Promise<readonly Named[]> {
  const skill = catalogue.skill(extractingSkill)?.skill
  if (skill === undefined) return []
  try {
    // The skill reads only its input.
    return [...listed(await skill.run({ text, include_private: true }, undefined as never))]
  } catch {
    return []
  }
}
