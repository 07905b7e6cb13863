import type { Notification } from './notification.ts'

type Told = Pick<Notification, 'kind' | 'count' | 'facts'>

const inCase = (caseId: string | undefined): string => (caseId === undefined ? '' : ` in ${caseId}`)
const titled = (title: string | undefined): string =>
  title === undefined || title === '' ? '' : `: “${title}”`

/** A notification in a sentence, without full stop. Names and titles may come from alerts: show it as text. */
export function notificationText({ kind, count, facts }: Told): string {
  const { caseId, title, playbook = '', step, skill = 'An action', code = '', by = 'Somebody' } = facts
  const atStep = step === undefined ? '' : ` (step ${step})`
  const sentences: Readonly<Record<Notification['kind'], () => string>> = {
    question_asked: () =>
      count === 1
        ? `${playbook} asks a question${atStep}${inCase(caseId)}`
        : `${playbook} asked ${count} questions${atStep}`,
    approval_wanted: () =>
      count === 1
        ? `${skill} needs an approval for ${playbook}${inCase(caseId)}`
        : `${count} uses of ${skill} need an approval`,
    approval_escalated: () =>
      count === 1
        ? `${skill} still needs an approval for ${playbook}${inCase(caseId)}`
        : `${count} uses of ${skill} still need an approval`,
    case_assigned: () => `${by} assigned ${caseId} to you${titled(title)}`,
    task_assigned: () => `${by} gave you a task in ${caseId}${titled(title)}`,
    mentioned: () => `${by} mentioned you in ${caseId}${titled(title)}`,
    case_overdue: () =>
      `${caseId} missed its target time to ${facts.target === 'respond' ? 'respond' : 'close'}${titled(title)}`,
    run_failed: () =>
      count === 1
        ? `A run of ${playbook} failed with ${code}${inCase(caseId)}`
        : `${count} runs of ${playbook} failed with ${code}`,
    published_run_failed: () => `Runs of ${playbook} failed with ${code}`,
    containment_overdue: () => `${skill}${inCase(caseId)} was not undone in time`,
    undo_failed: () =>
      code === 'unknown'
        ? `Whether ${skill}${inCase(caseId)} was undone is unknown`
        : `${skill}${inCase(caseId)} could not be undone`,
  }
  return sentences[kind]()
}
