import { maxPeople } from '../../../playbook/language/constants.ts'
import type { Template } from '../../../playbook/language/playbook.ts'
import type { AskedPeople } from '../../../playbook/waits/waits.ts'
import { TocsinError } from '../../../plugin/index.ts'
import { personKey } from '../../../transitions/quorum.ts'
import { templateValue } from '../../scope/evaluate.ts'
import type { StepScope } from '../../scope/scope.ts'

/** The people that a checkpoint asks, as recorded. */
export interface PeopleToAsk {
  /** Each once, in order. */
  readonly people: readonly unknown[]
  /** When each is asked, in milliseconds after the first. */
  readonly after_ms: readonly number[]
  /** How many must give the same answer. */
  readonly needed: number
  readonly within_ms: number
}

/** Evaluates the lists of people. Throws the error that the step fails with. */
export function peopleToAsk(asked: AskedPeople<Template>, withinMs: number, scope: StepScope): PeopleToAsk {
  const levels = [{ afterMs: 0, ask: asked.ask }, ...asked.escalate]
  const known = new Set<string>()
  const people: { readonly person: unknown; readonly afterMs: number }[] = []
  let first = 0
  for (const [level, { afterMs, ask }] of levels.entries()) {
    for (const person of listed(templateValue(ask, scope))) {
      const key = personKey(person)
      if (known.has(key)) continue
      known.add(key)
      people.push({ person, afterMs })
      if (people.length > maxPeople) throw tooMany()
    }
    if (level === 0) first = people.length
  }
  if (first === 0)
    throw new TocsinError('checkpoint_asks_nobody', 'the list of people to ask is empty', {
      hint: 'skip the step with `if`, or add a person who is always asked',
    })
  return {
    people: people.map(({ person }) => person),
    after_ms: people.map(({ afterMs }) => afterMs),
    needed: neededOf(asked.quorum, first, people.length),
    within_ms: withinMs,
  }
}

/** One person needs no list. Unknown people are left out. */
function listed(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.filter((person) => person !== null && person !== '')
  return value === null || value === '' ? [] : [value]
}

function neededOf(quorum: AskedPeople<Template>['quorum'], first: number, all: number): number {
  if (quorum === 'any') return 1
  if (quorum === 'all') return first
  if (quorum === 'majority') return Math.floor(first / 2) + 1
  if (quorum <= all) return quorum
  throw new TocsinError(
    'checkpoint_quorum_unreachable',
    `the quorum is ${quorum}, but only ${all} different ${all === 1 ? 'person is' : 'people are'} asked`,
    { hint: 'add people to `ask`, or lower `quorum`; a person who is named twice counts once' },
  )
}

function tooMany(): TocsinError {
  return new TocsinError('checkpoint_too_many_people', `a checkpoint asks at most ${maxPeople} people`, {
    hint: 'filter the list',
  })
}
