import type { PointedMessage } from '../errors/errors.ts'
import { nearest } from '../common/nearest.ts'
import { implementationsOf, interfaceNamed, type AnyImplementation } from '../interface/definitions.ts'
import { interfaces, type AnySkill, type InterfaceDefinition } from '../plugin/index.ts'
import { isRecord } from './check-schemas.ts'

/** The context for checking the declaration of an implementation. */
export type ImplementingSkill = Pick<AnySkill, 'effect' | 'asks'> & {
  readonly destructive?: string | undefined
}

/** The problems of one implementation, apart from the types of its mappings. Pointers are relative to it. */
export function checkImplementation(
  name: string,
  implementation: unknown,
  skill: ImplementingSkill,
): readonly PointedMessage[] {
  const found = interfaceNamed(name)
  if (found === undefined) {
    const meant = nearest(name, Object.keys(interfaces))
    const hint = meant === undefined ? '' : `; did you mean '${meant}'?`
    return [{ pointer: '', message: `there is no interface '${name}'${hint}` }]
  }
  if (name === 'enrich') return [{ pointer: '', message: 'is implemented by `enriches`: declare that' }]
  const problems: PointedMessage[] = []
  const say = (pointer: string, message: string): number => problems.push({ pointer, message })
  const destructive = 'destructive' in found ? found.destructive : undefined
  if (skill.effect !== found.effect) say('', `is for a skill with the effect '${found.effect}'`)
  else if (skill.destructive !== destructive)
    say(
      '',
      `is for a skill ${destructive === undefined ? 'that is not destructive' : `of the class '${destructive}'`}`,
    )
  if ((skill.asks === true) !== (found.asks === true))
    say('', found.asks === true ? 'is for a skill that asks' : 'is not for a skill that asks')
  if (!isRecord(implementation)) say('', 'must be an object with the functions `input` and `output`')
  else {
    problems.push(...onlyProblems(found, implementation['only']))
    for (const key of found.asks === true ? ['input'] : ['input', 'output'])
      if (typeof implementation[key] !== 'function') say(`/${key}`, 'must be a function')
  }
  return problems
}

/** `only` names values of inputs that have an enumeration. */
function onlyProblems({ input }: InterfaceDefinition, only: unknown): readonly PointedMessage[] {
  if (only === undefined) return []
  if (!isRecord(only)) return [{ pointer: '/only', message: 'must be an object of lists' }]
  const choices = Object.entries(input.properties ?? {}).filter(
    ([, { enum: values }]) => values !== undefined,
  )
  return Object.entries(only).flatMap(([name, values]) => {
    const known = choices.find(([each]) => each === name)?.[1].enum
    const pointer = `/only/${name}`
    if (known === undefined) {
      const names = choices.map(([each]) => each)
      const hint = names.length === 0 ? 'leave it out' : `use ${names.join(' or ')}`
      return [{ pointer, message: `is not an input with a list of values: ${hint}` }]
    }
    const isList = Array.isArray(values) && values.length > 0
    if (isList && values.every((value) => known.includes(value))) return []
    return [{ pointer, message: `must be a list of some of ${known.join(', ')}` }]
  })
}

/**
 * The interfaces that several skills of a plugin implement for the same inputs, although only one may be
 * called. Reads that gather results may be asked all together.
 */
export function checkRivals(skills: readonly AnySkill[], problems: PointedMessage[]): void {
  for (const [at, skill] of skills.entries())
    for (const [name, { only }] of Object.entries(implementationsOf(skill))) {
      if (interfaceNamed(name)?.gathers !== undefined) continue
      const rival = skills.slice(0, at).find((other) => {
        const its = implementationsOf(other)[name]
        return its !== undefined && !areApart(its.only, only)
      })
      if (rival === undefined) continue
      const message = `is also implemented by ${rival.name}: tell them apart with \`only\``
      problems.push({ pointer: `/skills/${skill.name}/implements/${name}`, message })
    }
}

const areApart = (a: AnyImplementation['only'] = {}, b: AnyImplementation['only'] = {}): boolean =>
  Object.keys(a).some((name) => Object.hasOwn(b, name) && !a[name]!.some((value) => b[name]!.includes(value)))
