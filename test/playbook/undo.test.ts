import { expect } from 'chai'
import { toDrawing } from '../../core/graph/drawing.ts'
import { caseReadsOf } from '../../core/engine/scope/run-case.ts'
import { toStepGraph } from '../../core/playbook/language/step-graph.ts'
import type { UsesStep } from '../../core/playbook/language/playbook.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { definitionText } from '../../core/retry/definition.ts'
import { edrCatalogue } from '../destructive/edr.ts'
import { withSteps } from './support.ts'

const playbookWith = (undo: string, uses = 'edr.isolate') =>
  parsePlaybook(withSteps(`  - { id: a, uses: ${uses}, with: { machine: x }, undo: ${undo} }`), {
    catalogue: edrCatalogue,
  })
const told = (undo: string, uses?: string) =>
  playbookWith(undo, uses).problems.map(
    ({ code, message, hint }) => `${code} ${message}${hint === undefined ? '' : ` (${hint})`}`,
  )
const stepOf = (undo: string) => {
  const { playbook, problems } = playbookWith(undo)
  expect(problems).to.deep.equal([])
  return playbook!.steps[0] as UsesStep
}

describe('undo of a step', () => {
  it('has a time, and a condition over what still exists then', () => {
    expect(stepOf('{ after: 4h }').undo).to.deep.equal({ afterMs: 14_400_000, unless: undefined })
    for (const unless of [
      "case.verdict == 'malicious'",
      "case.status != 'closed' && case.severity in ['high', 'critical']",
      "containment.skill == 'edr.isolate' && containment.outcome == 'accepted'",
      "now - containment.since > duration('2d')",
      "containment.connection == null || case.assignee == 'kim'",
    ])
      expect(stepOf(`{ after: 4h, unless: "${unless}" }`).undo?.unless?.source).to.equal(unless)
  })

  it('needs a skill that contains, and one that undoes it', () => {
    const after = '{ after: 4h }'
    const hint = '(leave out `undo`)'
    expect(told(after, 'edr.release')).to.deep.equal([
      `E324 edr.release ends a containment and makes none ${hint}`,
    ])
    expect(told(after, 'edr.look')).to.include(`E324 edr.look contains nothing that could be undone ${hint}`)
    expect(told(after, 'edr.scan')).to.deep.equal([`E324 nothing undoes edr.scan ${hint}`])
    expect(told(after, 'edr.wipe')).to.deep.equal([
      `E324 nothing undoes edr.wipe: deleted data cannot be restored ${hint}`,
    ])
    expect(told(after, 'case.update')[0]).to.match(/^E301/)
  })

  it('takes an interface that contains, if a skill that implements it can be undone', () => {
    const of = (name: string, input: string) =>
      parsePlaybook(withSteps(`  - { uses: interface.${name}, with: ${input}, undo: { after: 1d } }`))
        .problems.filter(({ code }) => code === 'E324')
        .map(({ message }) => message)
    expect(of('isolate_machine', '{ machine: { id: x }, comment: y }')).to.deep.equal([])
    expect(of('block_indicator', '{ kind: ip, value: x, comment: y }')).to.deep.equal([])
    expect(of('enable_user', '{ user: { id: x }, comment: y }')).to.deep.equal([
      'interface.enable_user ends a containment and makes none',
    ])
    expect(of('revoke_sessions', '{ user: { id: x }, comment: y }')).to.deep.equal([
      'nothing undoes interface.revoke_sessions',
    ])
  })

  it('is explained if it is wrong', () => {
    expect(told('4h')).to.deep.equal([
      'E106 expected a map for `undo`, found a string (write undo: { after: 4h })',
    ])
    expect(told('[4h]')).to.deep.equal([
      'E106 expected a map for `undo`, found a list (write undo: { after: 4h })',
    ])
    expect(told('{}')).to.deep.equal([
      'E105 `undo` needs `after` (write after: 4h, how long the containment stays)',
    ])
    expect(told('{ aftr: 4h }')[0]).to.equal("E104 unknown key 'aftr' in `undo` (did you mean 'after'?)")
    expect(told('{ after: 4h, if: true }')).to.deep.equal([
      "E104 unknown key 'if' in `undo` (write unless: the condition under which the containment stays)",
    ])
  })

  it('expires within limits', () => {
    expect(told('{ after: 59s }')).to.deep.equal(["E107 '59s' is too short for `after` (write 1m or more)"])
    expect(told('{ after: 367d }')).to.deep.equal([
      "E107 invalid duration '367d' for `after` (write 366d or less)",
    ])
    for (const [written, hint] of [
      ['0s', 'write it like 500ms, 30s, 5m, 2h, 1d or 1h30m'],
      ['-4h', 'write it like 500ms, 30s, 5m, 2h, 1d or 1h30m'],
      ['4 hours', 'did you mean 4h?'],
    ] as const)
      expect(told(`{ after: ${written} }`)).to.deep.equal([
        `E107 invalid duration '${written}' for \`after\` (${hint})`,
      ])
    expect(told('{ after: 14400 }')[0]).to.match(/^E106 expected a duration for `after`, found a number/)
    expect(told('{ after: "${{ inputs.hours }}" }')[0]).to.match(/^E10/)
  })

  it('sees nothing of the run, which may be deleted when the containment expires', () => {
    const hint = '(`unless` is evaluated when the containment expires, and sees case, containment, now)'
    for (const name of ['steps', 'inputs', 'alert', 'run', 'organization', 'item', 'error'])
      expect(told(`{ after: 4h, unless: ${name}.x == 1 }`)).to.deep.equal([
        `E204 unknown name '${name}' ${hint}`,
      ])
    expect(told('{ after: 4h, unless: size(steps) == 1 }')[0]).to.equal(`E204 unknown name 'steps' ${hint}`)
    expect(told('{ after: 4h, unless: case.owner == "x" }')[0]).to.match(/^E205 case has no field 'owner'/)
    expect(told('{ after: 4h, unless: case.verdict == "malicius" }')).to.deep.equal([
      "E202 'malicius' is not one of unknown, benign, suspicious, malicious (did you mean 'malicious'?)",
    ])
    expect(told('{ after: 4h, unless: case.verdict }')[0]).to.match(/^E210 expected true or false/)
    expect(told('{ after: 4h, unless: "${{ true }}" }')[0]).to.match(/^E201/)
  })

  it('opens a case before the step if its condition reads one', () => {
    expect(caseReadsOf(stepOf('{ after: 4h, unless: "case.verdict == \'malicious\'" }'))).to.deep.equal({
      before: false,
      all: true,
    })
    expect(caseReadsOf(stepOf('{ after: 4h }')).all).to.equal(false)
  })

  it('is not part of what a retry compares: an edit does not contain again', () => {
    const [one, other] = [
      stepOf('{ after: 4h }'),
      stepOf('{ after: 8h, unless: "case.verdict == \'benign\'" }'),
    ]
    expect(definitionText(one)).to.equal(definitionText(other))
  })

  it('is shown in the graph', () => {
    const graph = toStepGraph(playbookWith('{ after: 1h30m }').playbook!)
    expect(graph.nodes.find(({ id }) => id === 'a')?.undoneAfter).to.equal('1h30m')
    const notes = toDrawing(graph).nodes.flatMap((node) => node.notes.map(({ text }) => text))
    expect(notes).to.include('undone after 1h30m')
  })
})
