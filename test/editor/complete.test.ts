import { expect } from 'chai'
import { complete } from '../../core/editor/completion/complete.ts'
import { calledName, functionDocs } from '../../core/editor/function-docs/index.ts'
import { grammar } from '../../core/playbook/language/grammar.ts'
import { hover } from '../../core/editor/hover.ts'
import { inspectPlaybook } from '../../core/editor/inspection.ts'
import { badPlaybooks } from '../playbook/bad-playbooks.ts'
import { example } from '../playbook/example.ts'
import { guide, offsetIn, playbook } from './support/guide.ts'

function offered(marked: string): readonly string[] {
  const { text, offset } = offsetIn(marked)
  return complete(text, offset, guide).items.map(({ label }) => label)
}

const skills = [
  'case.update',
  'edr.block',
  'edr.isolate',
  'intel_provider.get_enrichment',
  'messaging.send_message',
  'travel.search_user_travel',
]

describe('completion of keys and values', () => {
  it('offers the missing keys of a place', () => {
    expect(offered(playbook('‸'))).to.have.members(
      grammar.playbook.keys.filter((key) => !['apiVersion', 'name', 'on', 'steps'].includes(key)),
    )
    expect(offered(playbook('  - switch:\n      - ‸'))).to.have.members([...grammar.case.keys])
    expect(offered(playbook('defaults: { retry: { max: 1, ‸ } }'))).to.have.members(
      grammar.retry.keys.filter((key) => key !== 'max'),
    )
    expect(offered(playbook('  - ‸'))).to.have.members([...grammar.step.keys])
  })

  it('offers the keys and values of correlation rules, and explains them', () => {
    const at = (rule: string) =>
      `apiVersion: tocsin/v1\nname: a\nalert: { type: object, properties: { user: { type: string } } }\non:\n  alert:\n    type: t\n    correlate:\n${rule}\n`
    expect(offered(at('      ‸'))).to.have.members([...grammar.correlation.keys])
    expect(offered(at('      - by: { user: alert.data.user }\n        ‸'))).to.have.members(['within', 'max'])
    expect(offered(at('      by: { who: alert.data.‸ }'))).to.include('user')
    expect(offered(at('      by:\n        who: alert.data.‸'))).to.include('user')
    const { text, offset } = offsetIn(at('      with‸in: 24h'))
    expect(hover(inspectPlaybook(text, guide.catalogue), offset, guide)?.text).to.contain(
      'ime window after the last alert',
    )
  })

  it('offers the keys of waits for people and events, and the names that they see', () => {
    const checkpoint = (rest: string) =>
      offered(playbook(`  - checkpoint: { ask: [ann], via: operator, ${rest}`))
    expect(checkpoint('‸ }')).to.include.members(['quorum', 'veto', 'escalate', 'answers'])
    expect(checkpoint('quorum: ‸')).to.have.members(['all', 'majority', 'any'])
    expect(checkpoint('escalate: [{ ‸ }] }')).to.have.members(['after', 'ask'])
    expect(checkpoint('with: { message: "${{ per‸ }}" } }')).to.include('person')
    const wait = (rest: string) => offered(playbook(`  - wait: { ${rest}`))
    expect(wait('for: { ‸ } }')).to.have.members(['alert', 'case'])
    expect(wait('for: { case: { event: ‸ } } }')).to.include.members(['closed', 'verdict_changed'])
    const schema = 'schema: { type: object, properties: { host: { type: string } } }'
    expect(wait(`for: { alert: {} }, ${schema}, where: event.data.‸ }`)).to.include('host')
    expect(wait('for: { case: {} }, where: event.‸ }')).to.include.members(['case', 'before', 'events'])
    expect(wait('for: { alert: {} }, since: ‸')).to.have.members(['step', 'run'])
  })

  it('offers time zones', () => {
    const at = (zone: string) => `apiVersion: tocsin/v1\nname: a\non:\n  schedule:\n    timezone: ${zone}\n`
    expect(offered(at('‸'))).to.include.members(['UTC', 'Europe/Berlin', 'Australia/Lord_Howe'])
  })

  it('offers the declared states that an operation fits, and the keys of states', () => {
    const declared = 'state: { seen: { kind: set }, cursor: { type: string }, total: { kind: counter } }\n'
    const at = (step: string) => offered(playbook(`  - state: { ${step} }`, declared))
    expect(at('add: ‸')).to.deep.equal(['seen'])
    expect(at('set: ‸')).to.deep.equal(['cursor', 'total'])
    expect(at('delete: ‸')).to.deep.equal(['seen', 'cursor', 'total'])
    expect(at('‸')).to.have.members([...grammar.state.keys])
    expect(at('add: seen, ‸')).to.include('key').and.not.include('get')
    const fields = offered(playbook("  - set: { x: '${{ state.‸ }}' }", declared))
    expect(fields).to.include.members(['cursor', 'total']).and.not.include('seen')
    const declaring = (keys: string) => offered(playbook('  - return: 1', `state: { a: { ${keys} } }\n`))
    expect(declaring('kind: ‸')).to.include.members(['value', 'counter', 'set', 'map', 'counters'])
    expect(declaring('‸')).to.include.members(['kind', 'type', 'expires', 'max', 'when_full', 'sensitive'])
  })

  it('omits keys that do not belong to the action of a step', () => {
    const keys = offered(playbook('  - uses: case.update\n    ‸'))
    expect(keys).to.include.members(['with', 'connection', 'retry', 'on_error', 'id'])
    expect(keys).to.not.include.members(['set'])
    expect(keys).to.not.include.members(['else'])
    expect(keys).to.not.include.members(['as'])
  })

  it('offers the output of a group, and what it may read', () => {
    const group = (more: string) =>
      `  - id: each\n    foreach: \${{ ["a"] }}\n    as: host\n    steps:\n      - id: b\n        set: { n: 1 }\n    ${more}`
    expect(offered(playbook(group('‸')))).to.include.members(['output', 'rate'])
    expect(offered(playbook(group('output: 1\n    ‸')))).to.include('default')
    expect(offered(playbook(group('output: ${{ steps.b.output.‸ }}')))).to.include('n')
    expect(offered(playbook(group('output: ${{ ‸ }}')))).to.include.members(['host', 'index', 'steps'])
    const read = group('output: { name: "${{ host }}" }\n  - return: ${{ steps.each.output.map(e, e.‸) }}')
    expect(offered(playbook(read))).to.include('name')
  })

  it('offers the keys and choices of a rate', () => {
    const step = (rate: string) => playbook(`  - id: a\n    uses: case.update\n    rate: ${rate}`)
    expect(offered(step('{ ‸ }'))).to.have.members([...grammar.rate.keys])
    expect(offered(step('{ limit: 1/h, policy: ‸ }'))).to.have.members(['wait', 'fail'])
    expect(offered(playbook('rate: { limit: 1/h, policy: ‸ }'))).to.have.members(['queue', 'drop'])
    const { text, offset } = offsetIn(step('30/min').replace('rate', 'ra‸te'))
    expect(hover(inspectPlaybook(text, guide.catalogue), offset, guide)?.text).to.include(
      'over all runs of the organization',
    )
  })

  it('offers the installed skills with descriptions, and replaces the current word', () => {
    const { text, offset } = offsetIn(playbook('  - uses: case.up‸'))
    const { items, replaces } = complete(text, offset, guide)
    const labels = items.map(({ label }) => label)
    expect(labels.filter((label) => !label.startsWith('interface.'))).to.have.members(skills)
    expect(labels).to.include('interface.isolate_machine').and.not.include('interface.ask')
    expect(text.slice(replaces.start, replaces.end)).to.equal('case.up')
    const update = items.find(({ label }) => label === 'case.update')
    expect(update?.documentation).to.match(/\*\*.+\*\* · `case\.update`[^]*Inputs:[^]*`verdict`/)
  })

  it('offers asking skills for a checkpoint, and their inputs except those from the engine', () => {
    const ask = (text: string) => offered(playbook(`  - checkpoint:\n      ${text}`))
    expect(ask('via: ‸')).to.have.members(['operator', 'messaging.checkpoint', 'interface.ask'])
    expect(ask('via: messaging.checkpoint\n      with: { ‸ }')).to.deep.equal(['user', 'message'])
    expect(ask('via: operator\n      with: { ‸ }')).to.deep.equal(['message', 'labels'])
  })

  it('offers the inputs of the skill and their values, also in nested maps', () => {
    const inputs = ['verdict', 'severity', 'summary']
    expect(offered(playbook('  - uses: case.update\n    with:\n      ‸'))).to.deep.equal(inputs)
    expect(offered(playbook('  - uses: case.update\n    with: { ‸ }'))).to.deep.equal(inputs)
    expect(offered(playbook('  - uses: case.update\n    with: { verdict: ‸'))).to.include('malicious')
    const nested =
      '  - uses: intel_provider.get_enrichment\n    with:\n      kind: ip\n      value: abc\n      filter: { ‸'
    expect(offered(playbook(nested))).to.deep.equal(['tags', 'since'])
  })

  it('adds a colon after a key unless there is one', () => {
    const insert = (marked: string, label: string) => {
      const { text, offset } = offsetIn(marked)
      return complete(text, offset, guide).items.find((item) => item.label === label)?.insert
    }
    expect(insert(playbook('  - us‸'), 'uses')).to.equal('uses: ')
    expect(insert(playbook('  - sw‸'), 'switch')).to.equal('switch:')
    expect(insert(playbook('  - { us‸: case.update }'), 'uses')).to.equal('uses')
  })

  it('offers the choices of keys', () => {
    expect(offered(playbook('  - on_error: ‸\n    uses: case.update'))).to.deep.equal(['fail', 'continue'])
    expect(offered('apiVersion: ‸\n')).to.deep.equal(['tocsin/v1'])
  })

  it("offers the known connections of the skill's plugin", () => {
    const connections = [
      { plugin: 'messaging', name: 'chat' },
      { plugin: 'messaging', name: 'pager' },
      { plugin: 'messaging', name: 'chat' },
      { plugin: 'travel', name: 'journeys' },
    ]
    const named = (marked: string, known?: typeof connections) => {
      const { text, offset } = offsetIn(marked)
      return complete(text, offset, { ...guide, connections: known }).items.map(({ label }) => label)
    }
    const step = playbook('  - uses: messaging.send_message\n    connection: ‸')
    expect(named(step, connections)).to.deep.equal(['chat', 'pager'])
    expect(named(step)).to.deep.equal([])
    expect(
      named(playbook('  - checkpoint: { via: messaging.checkpoint, connection: ‸ }'), connections),
    ).to.deep.equal(['chat', 'pager'])
    expect(named(playbook('defaults:\n  connections: { travel: ‸ }'), connections)).to.deep.equal([
      'journeys',
    ])
  })

  it('marks skills without a connection', () => {
    const { text, offset } = offsetIn(playbook('  - uses: ‸'))
    const detail = (connections: { plugin: string; name: string }[] | undefined) =>
      complete(text, offset, { ...guide, connections }).items.find(
        ({ label }) => label === 'messaging.send_message',
      )?.detail
    expect(detail([])).to.match(/, no connection yet$/)
    expect(detail([{ plugin: 'messaging', name: 'chat' }])).not.to.match(/no connection/)
    expect(detail(undefined)).not.to.match(/no connection/)
  })

  it('offers nothing in a comment', () => {
    expect(offered(playbook('  # - us‸'))).to.deep.equal([])
    expect(offered(playbook('  - uses: case.update # wi‸'))).to.deep.equal([])
    expect(offered(playbook('  - set: { a: "#1 ${{ steps.‸ }}" }'))).to.deep.equal(['intel', 'trips'])
  })

  it('offers the keys of a playbook in an empty file', () => {
    expect(offered('‸')).to.include.members(['apiVersion', 'name', 'on', 'steps'])
  })
})

describe('completion in expressions', () => {
  const inside = (expression: string) => offered(playbook(`  - set:\n      x: \${{ ${expression} }}`))

  it('offers the visible steps', () => {
    expect(inside('steps.‸')).to.deep.equal(['intel', 'trips'])
    const parallel = (body: string) =>
      playbook(`  - parallel:\n      - { id: a, set: { x: 1 } }\n${body}\n  - { id: later, set: { x: 1 } }`)
    expect(offered(parallel('      - set: { x: "${{ steps.‸ }}" }'))).to.deep.equal(['intel', 'trips'])
    expect(offered(playbook('finally:\n  - set: { x: "${{ steps.‸ }}" }'))).to.deep.equal(['intel', 'trips'])
  })

  it('offers the fields of outputs from the schemas of the skills', () => {
    expect(inside('steps.intel.output.‸')).to.include.members(['risk', 'status', 'tags', 'owner'])
    expect(inside('steps.intel.output.risk.sc‸')).to.include.members(['score', 'rules'])
    expect(inside("steps['intel'].output.‸")).to.include('risk')
    expect(inside("steps['‸'].output")).to.deep.equal(['intel', 'trips'])
  })

  it('offers names, variables of macros and functions', () => {
    expect(inside('‸')).to.include.members([
      'alert',
      'steps',
      'now',
      'size',
      'has',
      'isPrivateIp',
      'cel.bind',
    ])
    expect(inside('steps.trips.output.trips.filter(t, t.‸')).to.include.members(['country', 'city'])
    expect(inside('steps.trips.output.trips.exists(t, ‸')).to.include('t')
    expect(inside('strings.‸')).to.deep.equal(['quote'])
    expect(inside('math.‸')).to.include.members(['round', 'greatest'])
    expect(inside('regex.ex‸')).to.include.members(['extract', 'extractAll', 'groups', 'replace'])
    expect(inside('steps.trips.output.trips.transformList(at, trip, ‸')).to.include.members(['at', 'trip'])
    expect(inside('steps.trips.output.trips.groupBy(t, t.country).transformMap(c, all, all[0].‸')).to.include(
      'city',
    )
  })

  it('offers functions only for values of their type', () => {
    expect(inside('now.‸')).to.include('getFullYear').and.not.include('contains')
    expect(inside('steps.intel.output.tags.‸'))
      .to.include.members(['join', 'exists', 'sortBy', 'distinct', 'transformList'])
      .and.not.include('getFullYear')
    expect(inside('alert.type.‸')).to.include.members(['contains', 'matches']).and.not.include('join')
  })

  it('offers the possible strings in a comparison', () => {
    expect(inside("steps.intel.output.status == '‸'")).to.deep.equal(['confirmed', 'cancelled', 'pending'])
    expect(offered(playbook('  - if: steps.intel.output.status == "‸"\n    return: 1'))).to.include('pending')
  })

  it('works in conditions, in quotes, and in steps of a foreach', () => {
    expect(offered(playbook('  - if: steps.‸\n    return: 1'))).to.deep.equal(['intel', 'trips'])
    const body =
      '  - foreach: ${{ steps.trips.output.trips }}\n    as: trip\n    set: { c: "in ${{ trip.‸ }}." }'
    expect(offered(playbook(body))).to.include.members(['country', 'city'])
  })

  it('works with open brackets and quotes, and errors elsewhere', () => {
    const open = [
      '  - set: { x: "${{ steps.‸',
      "  - set: { x: '${{ steps.‸",
      '  - set:\n      x: ${{ steps.‸',
      '  - set: { x: "a ${{ steps.‸',
    ]
    for (const steps of open) expect(offered(playbook(steps)), steps).to.deep.equal(['intel', 'trips'])
    const broken = playbook('  - set: { x: "${{ steps.‸ }}" }\n  - uses: [x\n  - "')
    expect(offered(broken)).to.deep.equal(['intel', 'trips'])
  })

  it('describes functions with their signature and meaning', () => {
    const { text, offset } = offsetIn(playbook('  - set: { x: "${{ alert.type.‸ }}" }'))
    const item = complete(text, offset, guide).items.find(({ label }) => label === 'contains')
    expect(item).to.include({ kind: 'function', detail: 'text.contains(part) -> bool' })
    expect(item?.documentation).to.include('the part occurs')
  })

  it('knows how each function is called', () => {
    expect(functionDocs.map(calledName)).to.include.members([
      'has',
      '.contains',
      'cel.bind',
      'optional.of',
      'size',
      '.size',
    ])
  })
})

describe('completion anywhere', () => {
  it('answers at every place of a truncated playbook', () => {
    for (let offset = 0; offset <= example.length; offset += 31) {
      for (const text of [
        example,
        example.slice(0, offset),
        `${example.slice(0, offset)}\${{ ${example.slice(offset)}`,
      ]) {
        const { items, replaces } = complete(text, offset, guide)
        expect(items).to.be.an('array')
        expect(replaces.start <= offset && offset <= replaces.end).to.equal(true)
      }
    }
  }).timeout(60_000)

  it('answers in playbooks with errors', () => {
    for (const [code, { source }] of Object.entries(badPlaybooks)) {
      if (typeof source !== 'string' || source.length > 5000) continue
      for (const offset of [0, source.length >> 1, source.length]) {
        expect(complete(source, offset, guide).items, code).to.be.an('array')
        expect(hover(inspectPlaybook(source, guide.catalogue), offset, guide)?.text, code).to.not.equal('')
      }
    }
  })
})
