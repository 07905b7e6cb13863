import type { PlaybookVersion, RecordedAlert, Unjudged } from '../../core/backtest/recording.ts'
import { assumedOutput } from '../../core/dry-run/assumed-output.ts'
import type { SkillCaller } from '../../core/engine/skills/skill-caller.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { judgeShadow, type ShadowSurroundings } from '../../core/shadow/judge-shadow.ts'
import type { JudgedShadow } from '../../core/shadow/shadow-result.ts'
import { connectionsOf, organization } from '../backtest/support.ts'

/** A playbook in shadow, by its source without `mode`. */
export function inShadow(source: string, catalogue: Catalogue, beside?: string): Playbook {
  const text = source.startsWith('{')
    ? JSON.stringify({ ...(JSON.parse(source) as object), mode: 'shadow', ...(beside && { beside }) })
    : `${source.trimEnd()}\nmode: shadow\n${beside === undefined ? '' : `beside: ${beside}\n`}`
  const { playbook, problems } = parsePlaybook(text, { catalogue })
  if (playbook === undefined) throw new Error(`${problems.map(({ message }) => message).join('\n')}\n${text}`)
  return playbook
}

/** Every call that would leave Tocsin, by effect. */
export interface CallCounter {
  reads: number
  writes: number
  readonly call: SkillCaller
}

/** Another system that answers with the examples of its skills. */
export function countCalls(catalogue: Catalogue): CallCounter {
  const counter: CallCounter = {
    reads: 0,
    writes: 0,
    async call({ skill: name, input }) {
      const { skill } = catalogue.skill(name)!
      counter[skill.effect === 'read' ? 'reads' : 'writes']++
      return assumedOutput(skill, input).output
    },
  }
  return counter
}

export interface JudgeTestOptions {
  readonly catalogue: Catalogue
  /** The version of the recorded run. */
  readonly live: PlaybookVersion
  readonly call: SkillCaller
  readonly changes?: Partial<ShadowSurroundings>
}

/** Judges a shadow on a recorded alert, with real reads through `call`. */
export async function judge(
  shadow: PlaybookVersion,
  recording: RecordedAlert | Unjudged,
  { catalogue, live, call, changes }: JudgeTestOptions,
): Promise<JudgedShadow | undefined> {
  const queued = {
    id: 1,
    organizationUuid: organization.uuid,
    playbookName: shadow.playbook.name,
    runUuid: 'run' in recording ? recording.run.uuid : '',
    alertId: 'acme-custom-1',
    queuedAt: 0,
  }
  const surroundings: ShadowSurroundings = {
    // Without the second guard of `sharedReads`.
    live: call,
    catalogue,
    connections: connectionsOf(catalogue),
    organization,
    runUrl: (uuid) => `http://tocsin/runs/${uuid}`,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    versionOf: async () => live,
    ...changes,
  }
  return await judgeShadow(queued, shadow, recording, surroundings, new AbortController().signal)
}
