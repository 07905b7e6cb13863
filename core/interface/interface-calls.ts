import type { StepMasks } from '../domain/mask.ts'
import { NotFoundError } from '../errors/errors.ts'
import { maskOfSchema } from '../playbook/check/mask-of-type.ts'
import type { JsonSchema } from '../plugin/index.ts'
import type { ConnectionStore } from '../ports/connection-store.ts'
import type { Catalogue, CatalogueSkill } from '../registry/catalogue.ts'
import { compileSchema, validate } from '../schema/index.ts'
import { chooseCalls, type ChosenCall } from './choose-calls.ts'
import { interfaceNamed } from './definitions.ts'
import { mapInput, mapOutput } from './map-fields.ts'

/** How a run calls interfaces. */
export interface InterfaceCalls {
  /**
   * The calls that a step makes; asked once, because the journal keeps the answer.
   *
   * @throws ConnectionError, ValidationError of the input, SkillError `entity_elsewhere`
   */
  choose(wanted: WantedCalls): Promise<readonly ChosenCall[]>
  /** The input of a chosen skill. */
  input(of: string, skill: string, given: unknown): unknown
  /** The output of the interface, from that of the skill. */
  output(of: string, skill: string, made: unknown, given: unknown): unknown
  /** The sensitive places in the input and output of a skill; undefined if there are none. */
  masks(skill: string): StepMasks | undefined
}

export interface WantedCalls {
  /** Name of the interface. */
  readonly of: string
  readonly input: unknown
  /** The connection that the step names. */
  readonly connection: string | undefined
  readonly organizationUuid: string
  /** Path of the step. */
  readonly path: string
}

type Skills = Pick<Catalogue, 'skill' | 'implementing'>

/** Calls over the connections of the run's organization. */
export function createInterfaceCalls(
  catalogue: Skills,
  connections: Pick<ConnectionStore, 'list'>,
): InterfaceCalls {
  const implementer = (of: string, name: string) => ({ of, ...requireSkill(catalogue, name) })
  return {
    async choose({ of, input, connection: named, organizationUuid }) {
      validate(compileSchema(interfaceNamed(of)!.input), input, `input of interface.${of}`)
      const known = await connections.list([organizationUuid])
      return chooseCalls({
        of,
        input,
        named,
        implementers: catalogue.implementing(of),
        connections: known,
      })
    },
    input: (of, skill, given) => mapInput(implementer(of, skill), given),
    output: (of, skill, made, given) => mapOutput(implementer(of, skill), made, given),
    masks(name) {
      const skill = catalogue.skill(name)?.skill
      // The sensitive fields of an uninstalled skill are unknown.
      if (skill === undefined) return { input: true, output: true }
      const input = maskOfSchema(skill.input as JsonSchema)
      const output = maskOfSchema(skill.output as JsonSchema)
      if (input === undefined && output === undefined) return undefined
      return { ...(input && { input }), ...(output && { output }) }
    },
  }
}

function requireSkill(catalogue: Skills, name: string): CatalogueSkill {
  const found = catalogue.skill(name)
  if (found !== undefined) return found
  throw new NotFoundError('skill_not_found', `the skill '${name}' is not installed`, {
    hint: 'install its plugin: the run has chosen it before',
  })
}
