import { expect } from 'chai'
import { consequencesOf } from '../../core/destructive/consequences.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { catalogue, withSteps } from '../playbook/support.ts'

function playbookOf(steps: string, rest?: string): Playbook {
  const { playbook, problems } = parsePlaybook(withSteps(steps, rest), { catalogue })
  expect(playbook, JSON.stringify(problems)).to.not.equal(undefined)
  return playbook!
}

const ask =
  '{ id: ask, checkpoint: { via: operator, with: { message: Isolate? }, answers: ["yes", "no"], timeout: 1h } }'
const isolate = (more = '') => `{ id: isolate, uses: edr.isolate, with: { id: x }${more} }`
const block = (more = '') => `{ id: block, uses: edr.block, with: { id: x }${more} }`
const list = (...steps: readonly string[]) => steps.map((step) => `  - ${step}`).join('\n')

/** Skills that may follow each answer. */
async function after(playbook: Playbook, path = 'ask', called?: Playbook) {
  const world = { catalogue, called: async () => called }
  const skillsAfter = async (answer: unknown) =>
    (await consequencesOf(playbook, path, answer, world)).map(({ skill }) => skill)
  return { yes: await skillsAfter('yes'), no: await skillsAfter('no') }
}

describe('the consequences of an answer', () => {
  it('are the destructive skills that its conditions allow', async () => {
    const on = (answer: string) => `, if: steps.ask.output.answer == "${answer}"`
    const playbook = playbookOf(list(ask, isolate(on('yes')), block(on('no')), '{ set: { x: 1 } }'))
    expect(await after(playbook)).to.deep.equal({ yes: ['edr.isolate'], no: ['edr.block'] })
    const [first] = await consequencesOf(playbook, 'ask', 'yes', { catalogue, called: async () => undefined })
    expect(first).to.deep.equal({
      stepId: 'isolate',
      skill: 'edr.isolate',
      title: 'Isolate',
      class: 'containment',
    })
  })

  it('are possible if other values matter too, and excluded if the answer alone excludes them', async () => {
    const playbook = playbookOf(
      list(
        ask,
        isolate(', if: "has(alert.data.machine) && steps.ask.output.answer == \'no\'"'),
        block(', if: "alert.data.?bad.orValue(false)"'),
      ),
    )
    expect(await after(playbook)).to.deep.equal({ yes: ['edr.block'], no: ['edr.isolate', 'edr.block'] })
  })

  it('follow the cases of a switch and stop if the answer ends the run', async () => {
    const cases = `{ switch: [{ when: steps.ask.output.answer == "yes", steps: [${isolate()}] }], else: [{ return: left }] }`
    expect(await after(playbookOf(list(ask, cases, block())))).to.deep.equal({
      yes: ['edr.isolate', 'edr.block'],
      no: [],
    })
  })

  it('continue after the group with the question, and in finally', async () => {
    const grouped = playbookOf(
      list(`{ id: g, steps: [${ask}, { if: steps.ask.output.answer == "no", return: no }] }`, isolate()),
      `finally:\n  - ${block()}\n`,
    )
    expect(await after(grouped, 'g/ask')).to.deep.equal({
      yes: ['edr.isolate', 'edr.block'],
      no: ['edr.block'],
    })
    const inner = playbookOf(
      list(`{ id: g, steps: [${ask}] }`, isolate(', if: steps.ask.output.answer == "yes"')),
    )
    expect(await after(inner, 'g/ask')).to.deep.equal({ yes: ['edr.isolate'], no: [] })
    const each = playbookOf(list(`{ id: g, foreach: [1, 2], steps: [${isolate()}, ${ask}] }`))
    expect(await after(each, 'g[0]/ask')).to.deep.equal({ yes: ['edr.isolate'], no: ['edr.isolate'] })
    const branches = playbookOf(
      list(`{ id: p, parallel: [{ id: a, steps: [${ask}] }, ${isolate()}] }`, block()),
    )
    expect(await after(branches, 'p/a/ask')).to.deep.equal({ yes: ['edr.block'], no: ['edr.block'] })
  })

  it('include called playbooks and the steps after the asking call', async () => {
    const callee = playbookOf(list(ask, isolate(', if: steps.ask.output.answer == "yes"')))
    const { playbook } = parsePlaybook(withSteps(list('{ id: sub, call: other }', block())), { catalogue })
    expect(await after(playbook!, 'sub/ask', callee)).to.deep.equal({
      yes: ['edr.isolate', 'edr.block'],
      no: ['edr.block'],
    })
    const caller = parsePlaybook(withSteps(list(ask, '{ id: sub, call: other }')), { catalogue }).playbook
    expect(await after(caller!, 'ask', callee)).to.deep.equal({ yes: ['edr.isolate'], no: ['edr.isolate'] })
  })
})
