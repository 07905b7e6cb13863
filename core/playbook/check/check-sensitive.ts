import { covers, maskAt, type Mask } from '../../domain/mask.ts'
import { isSensitive, type Type } from '../../expression/index.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import { acceptedBy, maskOfType } from './mask-of-type.ts'
import type { Problems } from '../language/problem.ts'
import type { Span } from '../language/source-text.ts'
import type { TypedTemplate } from '../template/typed-template.ts'

/**
 * Reports sensitive values that would leave the run: other systems, cases and people receive them only
 * through inputs whose skill declares to accept them.
 */
export function checkSensitive(
  problems: Problems,
  given: TypedTemplate,
  schema: JsonSchema,
  taker: string,
): void {
  if (!isSensitive(given.type)) return
  checkParts(given, { accepted: acceptedBy(schema), schema }, (part, { accepted, schema: own }) => {
    if (own?.['x-message'] === true) checkMessage(problems, part.type, part)
    else if (!covers(accepted, maskOfType(part.type))) {
      const message = `a sensitive value would leave the run: ${taker} does not accept it here`
      problems.add('E315', message, part, hint)
    }
  })
}

/** Reports sensitive values passed to inputs of another playbook that do not declare them sensitive. */
export function checkSensitiveInputs(
  problems: Problems,
  given: TypedTemplate,
  accepted: Mask | undefined,
  callee: string,
): void {
  checkParts(given, { accepted }, (part, at) => {
    if (covers(at.accepted, maskOfType(part.type))) return
    const message = `a sensitive value is given to an input of '${callee}' that is not declared sensitive`
    problems.add('E315', message, part, 'add sensitive: true to the input')
  })
}

interface Place {
  readonly accepted: Mask | undefined
  readonly schema?: JsonSchema | undefined
}

/** Checks each literal part at its own place. */
function checkParts(
  given: TypedTemplate,
  place: Place,
  check: (part: TypedTemplate, place: Place) => void,
): void {
  const { accepted, schema } = place
  const isWhole = accepted === true || schema?.['x-message'] === true
  if (!isWhole && given.entries !== undefined) {
    for (const { name, value } of given.entries) {
      const { properties = {} } = schema ?? {}
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined
      checkParts(value, { accepted: maskAt(accepted, name), schema: own }, check)
    }
  } else if (!isWhole && given.items !== undefined) {
    for (const item of given.items)
      checkParts(item, { accepted: accepted?.items, schema: schema?.items }, check)
  } else check(given, place)
}

const hint = 'leave it out, or say where it can be looked up'

/** Reports a message that would contain a sensitive value. */
export function checkMessage(problems: Problems, type: Type, at: Span): void {
  if (!isSensitive(type)) return
  problems.add('E315', 'a sensitive value would appear in a message to people', at, hint)
}
