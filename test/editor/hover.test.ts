import { expect } from 'chai'
import { skillDocumentation } from '../../core/editor/describe-skill.ts'
import { hover } from '../../core/editor/hover.ts'
import { inspectPlaybook } from '../../core/editor/inspection.ts'
import { guide, offsetIn, playbook } from './support/guide.ts'

function over(marked: string) {
  const { text, offset } = offsetIn(marked)
  const found = hover(inspectPlaybook(text, guide.catalogue), offset, guide)
  return found && { text: found.text, marks: text.slice(found.span.start, found.span.end) }
}

describe('hover', () => {
  it('shows the next runs of a schedule', () => {
    const { text, offset } = offsetIn(
      "apiVersion: tocsin/v1\nname: a\non: { schedule: { cron: '30 2 * ‸* *', timezone: Europe/Berlin } }\nsteps: []\n",
    )
    const nowMs = Date.parse('2026-03-28T12:00:00Z')
    const found = hover(inspectPlaybook(text, guide.catalogue), offset, { ...guide, nowMs })
    expect(found?.text).to.equal(
      'Next runs (Europe/Berlin):\n\n- 2026-03-29T03:00:00+02:00\n- 2026-03-30T02:30:00+02:00\n- 2026-03-31T02:30:00+02:00\n\n' +
        'Each local time runs once: after the gap if the clock change skips it, and the first time if it occurs twice.',
    )
  })

  it('explains keys', () => {
    expect(over(playbook('  - fore‸ach: [1]\n    set: { x: 1 }'))).to.deep.include({ marks: 'foreach' })
    expect(over(playbook('  - fore‸ach: [1]\n    set: { x: 1 }'))?.text).to.include('once per item')
  })

  it('explains the state that a step names', () => {
    const declared = 'state: { seen: { kind: set, expires: 7d, description: Mails that were handled. } }\n'
    expect(over(playbook('  - state: { add: se‸en, key: a }', declared))).to.deep.equal({
      text: '**set** `seen`: keys, expires after 7d\n\nMails that were handled.',
      marks: 'seen',
    })
    expect(over(playbook('  - state: { ad‸d: seen, key: a }', declared))?.text).to.include(
      'tells whether it is new',
    )
  })

  it('explains skills and their inputs', () => {
    const skill = over(playbook('  - uses: case.up‸date'))
    expect(skill?.marks).to.equal('case.update')
    expect(skill?.text).to.match(/· `case\.update`[^]*`verdict` \(benign \| suspicious \| malicious/)
    expect(over(playbook('  - uses: case.update\n    with: { ver‸dict: benign }'))?.text).to.match(
      /^`verdict`: benign \|/,
    )
  })

  it('shows the class of a destructive skill', () => {
    const update = guide.catalogue!.skill('case.update')!
    const destructive = { ...update.skill, destructive: 'containment' } as never
    expect(skillDocumentation({ ...update, skill: destructive })).to.include('· destructive (containment) ·')
    expect(over(playbook('  - uses: case.up‸date'))?.text).to.not.include('destructive')
  })

  it('shows the type of each part of an expression', () => {
    const at = (expression: string) => over(playbook(`  - set: { x: "\${{ ${expression} }}" }`))
    expect(at('steps.intel.output.ri‸sk.score')).to.deep.equal({
      text: '```cel\nsteps.intel.output.risk: {\n  score: number\n  rules?: list(string)\n}\n```',
      marks: 'steps.intel.output.risk',
    })
    expect(at('steps.intel.output.risk.sc‸ore > 5')?.text).to.equal(
      '```cel\nsteps.intel.output.risk.score: number\n```',
    )
    expect(at('steps.trips.output.trips.map(t, t‸.country)')?.text).to.match(/^```cel\nt: \{\n {2}country/)
  })

  it('explains functions and macros', () => {
    const at = (expression: string) => over(playbook(`  - set: { x: "\${{ ${expression} }}" }`))
    expect(at('alert.type.cont‸ains(run.id)')).to.deep.include({ marks: 'contains' })
    expect(at('alert.type.cont‸ains(run.id)')?.text).to.include('text.contains(part) -> bool')
    expect(at('steps.trips.output.trips.exi‸sts(t, true)')?.text).to.include('at least one element')
  })

  it('works in folded and quoted text', () => {
    const steps = '  - fail: >-\n      one\n      ${{ run.‸id }} two'
    expect(over(playbook(steps))).to.deep.equal({ text: '```cel\nrun.id: string\n```', marks: 'run.id' })
  })

  it('shows nothing without information', () => {
    expect(over(playbook('  - name: A na‸me\n    set: { x: 1 }'))).to.equal(undefined)
    expect(over('‸')).to.equal(undefined)
  })

  it('escapes descriptions of plugins', () => {
    expect(over(playbook('  - uses: case.up‸date'))?.text).to.not.match(/<script|\]\(javascript/)
  })
})
