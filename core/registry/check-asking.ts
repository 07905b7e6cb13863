import type { PointedMessage } from '../errors/errors.ts'
import type { AnySkill, JsonSchema } from '../plugin/index.ts'

/** What a skill may declare about the life of its question. */
const followUps = ['settle', 'remind', 'refuse'] as const

/**
 * The engine gives a skill that asks the id of the checkpoint and the answers to choose from; whose answer counts follows from
 * its output. So the schemas must promise all of them.
 */
export function checkAsking(skill: AnySkill, pointer: string, problems: PointedMessage[]): void {
  const say = (place: string, message: string): number => problems.push({ pointer: pointer + place, message })
  for (const name of followUps) {
    if (skill[name] === undefined) continue
    if (typeof skill[name] !== 'function') say(`/${name}`, 'must be a function')
    if (skill.asks !== true) say(`/${name}`, 'is for skills that ask')
  }
  if (skill.asks !== true) return
  if (skill.effect !== 'write') say('/effect', "must be 'write', since it asks")
  const input = skill.input as JsonSchema
  for (const name of ['checkpoint_id', 'answers']) {
    if (!has(input, name)) say(`/input/properties/${name}`, 'must be there, since the skill asks')
  }
  if (has(input, 'form') && input.required?.includes('answers') === true) {
    say('/input/required', 'must leave out answers: where there is a form, they are not given')
  }
  if (skill.remind !== undefined && !has(input, 'remind_after')) {
    say('/input/properties/remind_after', 'must be there, since the skill reminds')
  }
  const output = skill.output as JsonSchema
  const asked = output.required?.includes('asked') === true ? output.properties?.['asked'] : undefined
  if (asked?.type !== 'string') say('/output', 'must require asked, a text: who alone may answer')
}

const has = ({ properties }: JsonSchema, name: string): boolean =>
  properties !== undefined && Object.hasOwn(properties, name)
