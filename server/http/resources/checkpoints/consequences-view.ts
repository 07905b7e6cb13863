import { skillToApprove } from '../../../../core/checkpoint/kind.ts'
import { consequencesOf, type Consequence } from '../../../../core/destructive/consequences.ts'
import type { Checkpoint } from '../../../../core/domain/checkpoint.ts'
import { isApproval } from '../../../../core/transitions/question.ts'
import { resultsAfter } from '../../../../core/transitions/quorum.ts'
import type { Services } from '../../routing/route.ts'

type Seen = Pick<Services, 'catalogue' | 'stores' | 'playbooks' | 'directory' | 'log'>

/** The destructive actions that may follow each answer; null: unknown, or no longer open. */
export async function consequencesView(checkpoint: Checkpoint, services: Seen) {
  if (checkpoint.state !== 'waiting') return null
  const { group } = checkpoint
  const { answers } = checkpoint.question
  const { onTimeout } = checkpoint
  const silence = onTimeout === null || onTimeout.fails ? [] : [onTimeout.answer]
  const values = answers === null ? [null] : [...new Set<unknown>([...answers, ...silence])]
  const of =
    skillToApprove(checkpoint) === undefined
      ? await afterAnswer(checkpoint, services)
      : approval(checkpoint, services)
  if (of === undefined) return null
  const all = await Promise.all(
    values.map(async (answer) => {
      const results = resultsAfter(group, answers ?? [], silence, answer)
      return {
        answer,
        actions: distinct((await Promise.all(results.map(async (each) => await of(each)))).flat()),
      }
    }),
  )
  return all.map(({ answer, actions }) => ({ answer, actions: actions.map(actionView) }))
}

const distinct = (actions: readonly Consequence[]): readonly Consequence[] => [
  ...new Map(actions.map((action) => [`${action.stepId ?? ''} ${action.skill}`, action])).values(),
]

const actionView = ({ stepId, skill, title, class: kind }: Consequence) => ({
  step_id: stepId,
  skill,
  title,
  class: kind,
})

type ActionsOf = (answer: unknown) => readonly Consequence[] | Promise<readonly Consequence[]>

/** An approval allows its action and decides nothing else. */
function approval(checkpoint: Checkpoint, { catalogue }: Seen): ActionsOf | undefined {
  const skill = catalogue.skill(skillToApprove(checkpoint) ?? '')
  if (skill?.skill.effect !== 'write' || skill.skill.destructive === undefined) return undefined
  const { title, destructive } = skill.skill
  const action = { stepId: checkpoint.stepId, skill: skill.name, title, class: destructive }
  return (answer) => (isApproval(answer) ? [action] : [])
}

async function afterAnswer(
  { runUuid, path, group }: Checkpoint,
  { catalogue, stores, playbooks, directory, log }: Seen,
): Promise<ActionsOf | undefined> {
  try {
    const run = await stores.runs.find('all', runUuid)
    if (run === undefined) return undefined
    const playbook = await playbooks.byHash(run.playbookHash)
    const code = await directory.organizationCode(run.organizationUuid)
    const called = async (name: string) => {
      const hash = playbooks.newest(name, code)
      return hash === undefined ? undefined : await playbooks.byHash(hash)
    }
    return async (answer) =>
      await consequencesOf(playbook, group?.path ?? path, answer, { catalogue, called })
  } catch (error) {
    // A question stays answerable if its playbook no longer matches the plugins.
    log.warn({ run: runUuid, error }, 'could not determine the consequences of an answer')
    return undefined
  }
}
