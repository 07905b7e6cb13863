import type { PointedMessage } from '../errors/errors.ts'
import { isRecord } from './check-schemas.ts'

const snakeCase = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

export const isSnakeCase = (name: unknown): name is string => typeof name === 'string' && snakeCase.test(name)

export const pointerOf = (name: unknown, index: number): string =>
  `/skills/${isSnakeCase(name) ? name : index}`

/** Related skills belong to the same plugin: a read skill follows a write or tells its state, a write skill undoes it. */
export function checkRelated(skills: readonly unknown[], problems: PointedMessage[]): void {
  const all = skills.filter(isRecord)
  for (const [index, skill] of all.entries()) {
    const { name, effect, destructive, followWith, undoneBy, stateBy } = skill
    const check = (key: string, related: unknown, wanted: 'read' | 'write', mustMap: boolean): void => {
      if (related === undefined) return
      const call = isRecord(related) ? related : { skill: related }
      const isKnown = all.some((each) => each['name'] === call['skill'] && each['effect'] === wanted)
      const isCall = !mustMap && !isRecord(related) ? true : typeof call['input'] === 'function'
      const does = wanted === 'read' ? 'reads' : 'writes'
      if (isKnown && isCall) return
      const message = isKnown
        ? 'must be { skill, input }, with a function of the input and the output'
        : `must name a skill of the plugin that ${does}`
      problems.push({ pointer: `${pointerOf(name, index)}/${key}`, message })
    }
    const pointer = pointerOf(name, index)
    if (followWith !== undefined && destructive === undefined)
      problems.push({ pointer: `${pointer}/followWith`, message: 'is only for destructive skills' })
    else check('followWith', followWith, 'read', false)
    if (undoneBy !== undefined && effect !== 'write')
      problems.push({ pointer: `${pointer}/undoneBy`, message: 'is only for writes' })
    else check('undoneBy', undoneBy, 'write', true)
    if (!checkContains(skill, 'stateBy', pointer, problems)) continue
    check('stateBy', stateBy, 'read', true)
    if (
      isRecord(stateBy) &&
      [stateBy['contained'], stateBy['released']].some((one) => typeof one !== 'function')
    )
      problems.push({
        pointer: `${pointer}/stateBy`,
        message: 'must have the functions contained and released of the state, the input and the output',
      })
  }
}

/** Whether a key that belongs to containing skills is there and allowed. */
function checkContains(
  skill: Readonly<Record<string, unknown>>,
  key: 'stateBy' | 'stateUnreadable',
  pointer: string,
  problems: PointedMessage[],
): boolean {
  if (skill[key] === undefined) return false
  if (skill['destructive'] !== undefined && skill['undoneBy'] !== undefined) return true
  problems.push({ pointer: `${pointer}/${key}`, message: 'is only for destructive skills with undoneBy' })
  return false
}

/** A destructive skill is undone by another skill, cannot be undone, or undoes another skill itself. */
export function checkReversal(
  skill: Readonly<Record<string, unknown>>,
  pointer: string,
  problems: PointedMessage[],
): void {
  const { destructive, undoneBy, irreversible, restores, stateBy, stateUnreadable } = skill
  const report = (key: string, message: string) => problems.push({ pointer: `${pointer}/${key}`, message })
  if (irreversible !== undefined) {
    if (destructive === undefined) report('irreversible', 'is only for destructive skills')
    else if (typeof irreversible !== 'string' || irreversible.trim() === '')
      report('irreversible', 'must be a text that says why nothing undoes it')
    else if (undoneBy !== undefined) report('irreversible', 'contradicts undoneBy: leave one of them out')
  }
  if (checkContains(skill, 'stateUnreadable', pointer, problems)) {
    if (typeof stateUnreadable !== 'string' || stateUnreadable.trim() === '')
      report('stateUnreadable', 'must be a text that says why its state cannot be read')
    else if (stateBy !== undefined) report('stateUnreadable', 'contradicts stateBy: leave one of them out')
  }
  if (restores === undefined) return
  if (destructive === undefined) report('restores', 'is only for destructive skills')
  else if (restores !== true) report('restores', 'must be true, or absent')
}
