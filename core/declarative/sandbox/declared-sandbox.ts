import { once } from '../../common/once.ts'
import type { Sandbox } from '../../plugin/index.ts'
import type { SandboxState } from '../../plugin/testing/index.ts'
import type { DeclaredPlugin, DeclaredSkill } from '../language/declared.ts'

/**
 * The emulator of a plugin's other system, made from the examples of the plugin; undefined if the plugin has no
 * connection. It answers the requests of the examples, and all others with 404 or 405; it knows one set of
 * credentials.
 *
 * @param makeState called at every start; changes the answers
 */
export function declaredSandbox(
  declared: DeclaredPlugin,
  makeState?: () => SandboxState,
): Sandbox | undefined {
  const { connection } = declared
  if (connection === undefined) return undefined
  const plugin = { ...inHaste(declared), connection: { ...connection, rate: [] } }
  // The kit for tests is loaded only where a sandbox is started.
  const record = once(async () => {
    const kit = await import('./start-sandbox.ts')
    return { kit, recording: await kit.recordPlugin(plugin) }
  })
  return {
    async start(options = {}) {
      const { kit, recording } = await record()
      return await kit.startSandbox(plugin, recording, options, makeState?.())
    },
  }
}

/** The plugin for tests: without rate limits, and polling at short intervals. */
export const inHaste = (declared: DeclaredPlugin): DeclaredPlugin => ({
  ...declared,
  connection: declared.connection && { ...declared.connection, rate: [] },
  skills: declared.skills.map((skill): DeclaredSkill => ({
    ...skill,
    poll: skill.poll && { ...skill.poll, everyMs: 5, timeoutMs: 1_000 },
  })),
})

/** The examples that do not fit their skill. */
export async function exampleProblems(declared: DeclaredPlugin): Promise<readonly ExampleProblem[]> {
  const { makeUpSettings } = await import('./made-up-settings.ts')
  const { recordExamples } = await import('./record-examples.ts')
  const settings = declared.connection ? makeUpSettings(declared.connection) : {}
  const recorded = await recordExamples(inHaste(declared), settings)
  return recorded.flatMap(({ file, skill, problem, output }) =>
    problem === undefined ? [] : [{ file, skill, problem, output }],
  )
}

export interface ExampleProblem {
  readonly skill: string
  /** Path below the folder of the plugin. */
  readonly file: string
  readonly problem: string
  /** The output that the answers give; undefined if the skill fails. */
  readonly output: unknown
}
