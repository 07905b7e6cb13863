import { wouldAsk } from '../../core/destructive/policy.ts'
import type { Question } from '../../core/domain/checkpoint.ts'
import { hide } from '../../core/domain/mask.ts'
import { acceptedBy } from '../../core/playbook/check/mask-of-type.ts'
import type { JsonSchema } from '../../core/plugin/index.ts'
import { eventsOf, type DryRunTree } from '../../core/dry-run/explore.ts'
import { stringifyJson } from '../../core/common/json.ts'
import type { AnswerChoice, OneAnswer } from '../../core/playbook-test/run/checkpoint-answers.ts'
import { viaEvent } from '../../core/playbook-test/waits/mocked-events.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { paint } from '../output/paint.ts'
import { printable, printableJson } from '../output/printable.ts'
import { endLines, isShown, stepLine, wouldDoLines } from './show.ts'

/** Prints a dry run: its events, and below each question every path from there. */
export function treeLines(tree: DryRunTree, playbook: Playbook, catalogue: Catalogue): readonly string[] {
  const events = eventsOf(tree, catalogue).flatMap((event) => {
    if ('would' in event) return [wouldDoLines(event.would)]
    return isShown(event.ended) ? [stepLine(event.ended)] : []
  })
  return [...events, ...endOf(tree, playbook, catalogue)].flatMap((text) => text.split('\n'))
}

function endOf({ end }: DryRunTree, playbook: Playbook, catalogue: Catalogue): readonly string[] {
  if (end === 'too many ways') return [paint.warn('more paths exist but were not tried: add --answer')]
  if ('ways' in end) {
    const { path, question, group } = end.asked
    const several = group === null ? '' : `  ${group.people} people, quorum ${group.needed}`
    const asks = question.via === viaEvent ? 'waits for an event' : 'asks'
    const asked = `  ${paint.warn(asks)} ${printable(group?.path ?? path)}  ${paint.strong(question.via)}${several}`
    return [
      asked,
      ...printableJson(shownInput(question, catalogue))
        .split('\n')
        .map((line) => `    ${line}`),
      ...end.ways.flatMap(({ choice, tree }) => [
        `    ${paint.strong(wayOf(choice, question))}`,
        ...treeLines(tree, playbook, catalogue).map((line) => (line === '' ? '' : `      ${line}`)),
      ]),
    ]
  }
  const { outcome, durationMs, wouldDo } = end
  if (outcome === undefined) return []
  const writes = `${wouldDo.length} ${wouldDo.length === 1 ? 'write' : 'writes'}`
  return [
    endLines(playbook, outcome, durationMs, undefined, []),
    `    nothing was changed; a real run would make ${writes}`,
    ...wouldAsk(
      wouldDo.map(({ skill }) => skill),
      catalogue,
    ).map((text) => `    ${paint.warn(text)}`),
  ]
}

function shownInput({ via, input }: Question, catalogue: Catalogue): unknown {
  const asking = catalogue.skill(via)?.skill.input as JsonSchema | undefined
  return asking ? hide(acceptedBy(asking), input) : input
}

function wayOf(choice: AnswerChoice, { via }: Question): string {
  const isEvent = via === viaEvent
  if (choice === 'timeout') return `if the ${isEvent ? 'wait' : 'question'} times out:`
  if ('answers' in choice) return `if the answers are ${choice.answers.map(shownChoice).join(', ')}:`
  return `if the ${isEvent ? 'event' : 'answer'} is ${shownChoice(choice)}:`
}

function shownChoice(choice: OneAnswer): string {
  if (choice === 'timeout') return choice
  const { answer } = choice
  return printable(typeof answer === 'string' ? answer : stringifyJson(answer))
}

/** Whether there is only one path, and it does not complete. */
export function wouldFail({ end }: DryRunTree): boolean {
  return end !== 'too many ways' && 'outcome' in end && end.outcome?.status !== 'completed'
}
