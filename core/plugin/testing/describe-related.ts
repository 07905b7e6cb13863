import { deepStrictEqual, ok } from 'node:assert/strict'
import { exposedFields } from '../../destructive/exposed-fields.ts'
import { compileSchema, validate } from '../../schema/index.ts'
import {
  RetryableError,
  type AnySkill,
  type PluginDefinition,
  type RelatedCall,
  type RunningSandbox,
  type Sandbox,
  type StateCall,
} from '../index.ts'
import type { AddTest } from './failures/describe-failures.ts'
import { loopbackEgress } from './loopback-egress.ts'
import { runSkill } from './run-skill.ts'

interface RelatedOptions {
  readonly sandbox?: Sandbox
  readonly isDeclared?: boolean
}

interface Related {
  readonly undoneBy?: RelatedCall
  readonly followWith?: string | RelatedCall
  readonly stateBy?: StateCall
}

/** A containing skill must declare how to undo it, or why that is impossible. */
export function describeReversal({ skills }: PluginDefinition, it: AddTest): void {
  for (const skill of skills) {
    if (skill.effect === 'read' || (skill.destructive !== 'containment' && skill.destructive !== 'blocking'))
      continue
    it(`${skill.name} says what undoes it, or why nothing does`, () => {
      const says = [skill.undoneBy, skill.irreversible, skill.restores].some((one) => one !== undefined)
      ok(says, `${skill.name} needs undoneBy, irreversible or restores`)
    })
  }
}

/** What undoes a skill or follows it accepts the input that is made of the examples; a sandbox with state undoes. */
export function describeRelated(plugin: PluginDefinition, options: RelatedOptions, it: AddTest): void {
  for (const skill of plugin.skills) {
    const { undoneBy, followWith, stateBy }: Related = skill.effect === 'write' ? skill : {}
    for (const call of [undoneBy, followWith, stateBy]) {
      if (typeof call !== 'object') continue
      const other = plugin.skills.find(({ name }) => name === call.skill)
      it(`${call.skill} accepts what ${skill.name} gives it`, () => {
        for (const { input, output } of skill.examples) {
          const given = call.input(input, output)
          validate(compileSchema(other!.input), given, `input of ${call.skill}`)
          const exposed = exposedFields(skill, { input, output }, other!, given)
          deepStrictEqual(
            exposed,
            [],
            `${call.skill} must mark the sensitive values that it gets with x-sensitive`,
          )
        }
      })
    }
    const [example] = skill.examples
    if (undoneBy === undefined || options.isDeclared === true || example === undefined) continue
    it(`${undoneBy.skill} undoes ${skill.name}`, async () => {
      const connected = skill.connection !== undefined
      await withSandbox(connected ? options.sandbox : undefined, async (sandbox) => {
        const settings = sandbox === undefined ? {} : { settings: sandbox.settings, egress: loopbackEgress }
        const { output } = await runSkill(skill, example.input, settings)
        const call = async (related: RelatedCall) => {
          const called = plugin.skills.find(({ name }) => name === related.skill)!
          return await runSkill(called, related.input(example.input, output), settings)
        }
        // Some systems refuse to undo an action that has not ended; reading its progress may end it in a sandbox.
        const follow = typeof followWith === 'object' ? () => call(followWith) : undefined
        const undone = await whileBusy(() => call(undoneBy), follow)
        const undo = plugin.skills.find(({ name }) => name === undoneBy.skill)!
        const changed = undo.effect === 'write' && undo.changedNothing?.(undone.output) !== true
        ok(changed, `${undoneBy.skill} changed nothing after ${skill.name}`)
      })
    })
  }
}

async function whileBusy<T>(work: () => Promise<T>, wait: (() => Promise<unknown>) | undefined): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof RetryableError) || wait === undefined || tries === 5) throw error
      await wait()
    }
  }
}

/** A containing skill must declare how its state is read, or why that is impossible. */
export function describeState(plugin: PluginDefinition, options: RelatedOptions, it: AddTest): void {
  for (const skill of plugin.skills) {
    if (skill.effect === 'read' || skill.destructive === undefined || skill.restores === true) continue
    const { undoneBy, stateBy, followWith }: Related = skill
    if (undoneBy === undefined) continue
    it(`${skill.name} says what reads whether it is in effect, or why nothing does`, () => {
      const says = stateBy !== undefined || skill.stateUnreadable !== undefined
      ok(says, `${skill.name} needs stateBy or stateUnreadable`)
    })
    if (stateBy === undefined) continue
    it(`${stateBy.skill} says whether ${skill.name} is in effect, also after an undo by somebody else`, async () => {
      const said = options.isDeclared === true ? saidByExamples(plugin, skill, stateBy) : noExamples
      ok(!said.has('both'), 'an example says that it is in effect and that it is not')
      if (said.has('contained') && said.has('released')) return
      await tryState(
        plugin,
        skill,
        { undoneBy, stateBy, ...(followWith !== undefined && { followWith }) },
        options,
      )
    })
  }
}

const noExamples: ReadonlySet<string> = new Set()

/** What the examples of the reading skill say about the examples of a containing one. */
function saidByExamples(
  { skills }: PluginDefinition,
  { examples }: AnySkill,
  stateBy: StateCall,
): Set<string> {
  const reads = skills.find(({ name }) => name === stateBy.skill)?.examples ?? []
  return new Set(
    reads.flatMap(({ output: state }) =>
      examples.map(({ input, output }) => {
        const contained = stateBy.contained(state, input, output)
        const released = stateBy.released(state, input, output)
        return contained && released ? 'both' : contained ? 'contained' : released ? 'released' : 'unclear'
      }),
    ),
  )
}

/** In a sandbox with state, the state follows the skill and the one that undoes it. */
async function tryState(
  plugin: PluginDefinition,
  skill: AnySkill,
  { undoneBy, stateBy, followWith }: Related & Required<Pick<Related, 'undoneBy' | 'stateBy'>>,
  { sandbox }: RelatedOptions,
): Promise<void> {
  const [example] = skill.examples
  ok(example, `${skill.name} needs an example`)
  const { input } = example
  const called = (name: string) => plugin.skills.find((each) => each.name === name)!
  const [read, undo] = [called(stateBy.skill), called(undoneBy.skill)]
  await withSandbox(skill.connection === undefined ? undefined : sandbox, async (running) => {
    const settings = running === undefined ? {} : { settings: running.settings, egress: loopbackEgress }
    const { output } = await runSkill(skill, input, settings)
    // A sandbox may do the work only after it was asked for its progress a few times.
    const says = async (what: 'contained' | 'released', follow: Related['followWith'], given: unknown) => {
      for (let tries = 1; tries <= 5; tries++) {
        const { output: state } = await runSkill(read, stateBy.input(input, output), settings)
        if (stateBy[what](state, input, output)) return true
        if (typeof follow === 'object')
          await runSkill(called(follow.skill), follow.input(input, given), settings)
      }
      return false
    }
    ok(await says('contained', followWith, output), `${read.name} does not see ${skill.name}`)
    const undoInput = undoneBy.input(input, output)
    const undone = await runSkill(undo, undoInput, settings)
    const follow = undo.effect === 'write' ? undo.followWith : undefined
    const mapped =
      typeof follow === 'object' ? { ...follow, input: () => follow.input(undoInput, undone.output) } : follow
    ok(await says('released', mapped, undone.output), `${read.name} does not see ${undo.name}`)
  })
}

/** Starts a sandbox for the time of the work. */
export async function withSandbox(
  sandbox: Sandbox | undefined,
  work: (running: RunningSandbox | undefined) => Promise<void>,
): Promise<void> {
  const running = await sandbox?.start()
  try {
    await work(running)
  } finally {
    await running?.close()
  }
}
