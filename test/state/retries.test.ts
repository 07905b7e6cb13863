import { expect } from 'chai'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { SkillError } from '../../core/plugin/index.ts'
import { systemClock } from '../../server/clock.ts'
import { openBench, type Bench, type TestSkills } from '../engine/support/bench.ts'
import { rehearsal } from '../retry/support.ts'
import { somebody } from '../support/somebody.ts'

function playbookOf(steps: string): Playbook {
  const { playbook, problems } = parsePlaybook(`apiVersion: tocsin/v1
name: tested
on: { manual: true }
state: { seen: { kind: set }, total: { kind: counter }, limit: { type: integer, default: 1 } }
steps:
${steps}`)
  return playbook ?? expect.fail(problems.map(({ message }) => message).join('\n'))
}

describe('a retry of a run with state', () => {
  let bench: Bench
  beforeEach(async () => {
    bench = await openBench(systemClock)
  })
  afterEach(() => bench.close())

  async function retried(playbook: Playbook) {
    let isBroken = true
    const skills: TestSkills = {
      'x.do': (input) => {
        if (isBroken) throw new SkillError('http_400', 'broken')
        return input
      },
    }
    const all = rehearsal(bench, [playbook])
    const { run } = await all.first(playbook, skills)
    expect(run.status).to.equal('failed')
    const preview = await all.retries.preview('all', run.uuid, 'same')
    isBroken = false
    const again = await all.goOn(await all.retries.retry('all', run.uuid, 'same', somebody()), skills)
    expect(again.outcome.error).to.equal(null)
    const total = (await bench.stores.state.list('all', 'tested')).find(({ name }) => name === 'total')
    return { ...again, preview, total: total?.value }
  }

  it('does not change again what the failed run has changed', async () => {
    const playbook = playbookOf(`  - { id: first, state: { add: seen, key: a } }
  - if: steps.first.output.new && state.total == 0
    steps:
      - state: { increment: total }
      - { id: act, uses: x.do, with: { n: '\${{ state.total }}' } }
  - return: \${{ steps.first.output.new }}
`)
    const { outcome, preview, total } = await retried(playbook)
    expect(outcome.output).to.equal(true)
    expect(total).to.equal(1)
    expect(preview.repeats.map(({ entry }) => entry.kind)).to.deep.equal(['x.do'])
  })

  it('says in its preview which changes it repeats', async () => {
    const playbook = playbookOf(`  - id: all
    repeat: { until: state.total > 1, every: 1ms, max: 1 }
    steps:
      - state: { increment: total }
      - state: { add: seen, key: b }
  - { uses: x.do }
`)
    const { preview, total } = await retried(playbook)
    expect(
      preview.repeats.map(({ entry, tookEffect, repeat }) => [entry.path, tookEffect, repeat]),
    ).to.deep.equal([
      ['all#1/0', 'yes', 'never'],
      ['all#1/1', 'yes', 'safe'],
    ])
    expect(total).to.equal(2)
  })
})
