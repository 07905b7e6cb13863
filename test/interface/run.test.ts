import { expect } from 'chai'
import { createWakeUps } from '../../core/engine/journal/wake-ups.ts'
import { createInterfaceCalls } from '../../core/interface/interface-calls.ts'
import { RetryableError, SkillError } from '../../core/plugin/index.ts'
import { openBench, type Bench, type TestSkills } from '../engine/support/bench.ts'
import { ManualClock, settle } from '../engine/support/manual-clock.ts'
import { somebody } from '../support/somebody.ts'
import { readSteps, vendors } from './support.ts'

const find = `  - id: find
    uses: interface.find_machine
    with: { kind: host, value: web-1 }
`
const isolate = `  - id: contain
    uses: interface.isolate_machine
    with: { machine: { id: n-1 }, comment: ACME-7 }
`
const isolateFound = `${find}  - id: each
    foreach: \${{ steps.find.output.machines }}
    uses: interface.isolate_machine
    with: { machine: "\${{ item }}", comment: ACME-7 }
`

const skills: TestSkills = {
  'north.list_devices': () => ({ devices: [{ aid: 'n-1', pin: 'secret-pin' }] }),
  'north.contain': () => ({ state: 'contained' }),
  'south.search': () => ({ hits: ['s-1', 's-2'] }),
  'south.quarantine': () => ({ task: 5 }),
  'south.open_incident': () => ({ number: 7 }),
}

describe('a step that uses an interface', () => {
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
  })
  afterEach(() => bench.close())

  const connect = async (
    name: string,
    plugin: string,
    { enabled = true, organization = bench.organizationUuid } = {},
  ) => {
    const { connections } = bench.stores
    const made = await connections.create(
      organization,
      { name, plugin, settings: {}, secrets: {} },
      somebody(),
    )
    if (!enabled) await connections.update(organization, made.uuid, { enabled }, undefined, somebody())
    return made
  }
  const interfaces = () => createInterfaceCalls(vendors, bench.stores.connections)
  const go = async (steps: string, more: Parameters<Bench['go']>[2] = {}, using = skills) =>
    await bench.go(readSteps(steps), using, { interfaces: interfaces(), ...more })
  const called = () => bench.calls.map(({ skill, input }) => [skill, input])

  it('calls the skill of the only connected vendor', async () => {
    await connect('edr', 'north')
    const { status, output } = await go(`${isolate}  - return: \${{ steps.contain.output }}`)
    expect(status).to.equal('completed')
    expect(output).to.deep.equal({ status: 'done', reference: null })
    expect(called()).to.deep.equal([['north.contain', { aid: 'n-1' }]])
  })

  it('works unchanged with another vendor', async () => {
    await connect('endpoints', 'south')
    const { output } = await go(`${isolate}  - return: \${{ steps.contain.output }}`)
    expect(output).to.deep.equal({ status: 'pending', reference: '5' })
    expect(called()).to.deep.equal([['south.quarantine', { endpoint: 'n-1', why: 'ACME-7' }]])
  })

  it('records which vendor acted, as the concrete skill', async () => {
    await connect('edr', 'north')
    const run = await bench.startRun()
    await go(isolate, { run })
    const entries = await bench.stores.journal.entries(run.uuid)
    expect(entries.map(({ path, kind, output }) => [path, kind, output])).to.deep.equal([
      [
        'contain/@choice',
        'choice',
        { interface: 'isolate_machine', calls: [{ skill: 'north.contain', connection: 'edr' }] },
      ],
      ['contain', 'north.contain', { state: 'contained' }],
      ['contain/@output', 'output', { status: 'done', reference: null }],
    ])
  })

  describe('chooses no connection', () => {
    for (const [what, connections, steps, code, message] of [
      [
        'if several are possible',
        ['edr north', 'endpoints south'],
        isolate,
        'connection_ambiguous',
        /edr \(north.contain\), endpoints \(south.quarantine\)/,
      ],
      [
        'if there is none',
        [],
        isolate,
        'connection_missing',
        /no connected plugin implements interface.isolate_machine/,
      ],
      ['if all are disabled', ['edr north off'], isolate, 'connection_disabled', /disabled: edr/],
      [
        'if the named one is missing',
        ['edr north'],
        `${isolate}    connection: eder\n`,
        'connection_missing',
        /there is no such connection/,
      ],
      [
        'if the named one does not implement it',
        ['endpoints south'],
        `  - uses: interface.release_machine\n    with: { machine: { id: x }, comment: y }\n    connection: endpoints\n`,
        'connection_missing',
        /south does not implement it/,
      ],
      [
        'if the named one does not accept the input',
        ['edr north'],
        `${find.replace('host', 'ip')}    connection: edr\n`,
        'connection_missing',
        /north does not accept this input/,
      ],
      [
        'of another plugin than the entity',
        ['edr north', 'endpoints south'],
        `${isolate.replace('id: n-1', 'id: n-1, connection: edr')}    connection: endpoints\n`,
        'entity_elsewhere',
        /found over 'edr'/,
      ],
    ] as const) {
      it(what, async () => {
        for (const each of connections) {
          const [name = '', plugin = '', off] = each.split(' ')
          await connect(name, plugin, { enabled: off === undefined })
        }
        const { status, error } = await go(steps)
        expect(status).to.equal('failed')
        expect(error).to.include({ code })
        expect(error?.message).to.match(message)
        expect(error?.hint).to.be.a('string')
        expect(bench.calls).to.deep.equal([])
      })
    }
  })

  it('uses the connection that the step names, before that of the entity', async () => {
    await connect('edr', 'north')
    await connect('edr-write', 'north')
    await go(`${isolate.replace('id: n-1', 'id: n-1, connection: edr')}    connection: edr-write\n`)
    await go(isolate.replace('id: n-1', 'id: n-1, connection: edr'))
    const runs = bench.calls.map(({ key }) => key.split('/')[0]!)
    const choices = await Promise.all(
      runs.map(async (uuid) => (await bench.stores.journal.entry(uuid, 'contain/@choice'))?.output),
    )
    expect(
      choices.map((choice) => (choice as { calls: { connection: string }[] }).calls[0]!.connection),
    ).to.deep.equal(['edr-write', 'edr'])
  })

  describe('that finds something', () => {
    beforeEach(async () => {
      await connect('edr', 'north')
      await connect('endpoints', 'south')
    })

    it('asks every vendor, joins the results, and says where each was found', async () => {
      const { output } = await go(`${find}  - return: \${{ steps.find.output }}`)
      const rest = { name: null, os: null, last_seen: null, isolated: false, connection: 'endpoints' }
      expect(output).to.deep.equal({
        machines: [
          { id: 'n-1', name: 'web-1', os: null, isolated: null, last_seen: null, connection: 'edr' },
          { id: 's-1', ...rest },
          { id: 's-2', ...rest },
        ],
        sources: [
          { skill: 'north.list_devices', connection: 'edr', ok: true, error: null },
          { skill: 'south.search', connection: 'endpoints', ok: true, error: null },
        ],
        incomplete: false,
      })
    })

    it('acts on each result where it was found', async () => {
      expect((await go(isolateFound)).status).to.equal('completed')
      expect(called().slice(2)).to.deep.equal([
        ['north.contain', { aid: 'n-1' }],
        ['south.quarantine', { endpoint: 's-1', why: 'ACME-7' }],
        ['south.quarantine', { endpoint: 's-2', why: 'ACME-7' }],
      ])
    })

    it('shows that one vendor failed, and the results of the others', async () => {
      const down = () => {
        throw new SkillError('http_500', 'the system is down')
      }
      const steps = `${find}  - return: \${{ steps.find.output }}`
      const { output } = await go(steps, {}, { ...skills, 'south.search': down })
      expect(output).to.deep.include({ incomplete: true })
      expect(output).to.have.nested.property('machines.length', 1)
      expect(output).to.have.nested.property('sources[1].error', 'the system is down')
      const all = await go(steps, {}, { ...skills, 'south.search': down, 'north.list_devices': down })
      expect(all).to.include({ status: 'failed' })
      expect(all.error).to.include({ code: 'http_500' })
    })

    it('asks only those that accept the input', async () => {
      await go(find.replace('host', 'ip'))
      expect(called()).to.deep.equal([['south.search', { q: 'ip:web-1' }]])
    })

    it('reports a mapping that breaks the contract, and names the plugin', async () => {
      const odd = { ...skills, 'south.search': () => ({ hits: [''] }) }
      const { output } = await go(`${find}  - return: \${{ steps.find.output }}`, {}, odd)
      expect(output)
        .to.have.nested.property('sources[1].error')
        .that.includes('south.search cannot map the output')
    })

    it('hides sensitive values from mappings', async () => {
      const { output } = await go(`${find}  - return: \${{ steps.find.output }}`)
      expect(JSON.stringify(output)).not.to.include('secret-pin')
    })
  })

  it('marks a new entity with its connection', async () => {
    await connect('itsm', 'south')
    const { output } = await go(`  - id: ticket
    uses: interface.create_ticket
    with: { title: Malware, description: On web-1, severity: high }
  - return: \${{ steps.ticket.output }}`)
    expect(output).to.deep.equal({ ticket: { id: '7', url: null, connection: 'itsm' } })
  })

  it('refuses an input that the chosen skill does not accept, before any call', async () => {
    await connect('edr', 'north')
    const checked: TestSkills = {
      ...skills,
      'north.contain': () => {
        throw new SkillError('value_invalid', 'aid')
      },
    }
    expect((await go(isolate, {}, checked)).error).to.include({ code: 'value_invalid' })
  })

  it('calls the same connection after a crash, whatever is connected then', async () => {
    const edr = await connect('edr', 'north')
    const run = await bench.startRun()
    const stop = new AbortController()
    const hanging: TestSkills = {
      ...skills,
      'north.contain': () => {
        stop.abort()
        return new Promise(() => {})
      },
    }
    await go(isolate, { run, stop: stop.signal }, hanging).catch(() => undefined)
    await bench.stores.connections.remove(bench.organizationUuid, edr.uuid, undefined, somebody())
    await connect('endpoints', 'south')
    const { status } = await go(isolate, { run })
    expect(status).to.equal('completed')
    expect(bench.calls.map(({ skill }) => skill)).to.deep.equal(['north.contain', 'north.contain'])
  })

  it('retries each call by itself', async () => {
    await connect('edr', 'north')
    await connect('endpoints', 'south')
    const flaky: TestSkills = {
      ...skills,
      'south.search': (_input, _attempt, call) => {
        if (call === 1) throw new RetryableError('http_503', 'busy', { retryAfterMs: 0 })
        return { hits: [] }
      },
    }
    const retried = find.replace('}\n', '}\n    retry: { max: 1, backoff: 1s }\n')
    const going = go(retried, {}, flaky)
    await clock.advance(10_000)
    const { status } = await going
    expect(status).to.equal('completed')
    expect(bench.calls.map(({ skill }) => skill)).to.have.members([
      'north.list_devices',
      'south.search',
      'south.search',
    ])
  })

  it('uses the connections of its own organization', async () => {
    const other = await bench.stores.organizations.create({ code: 'BETA', name: 'Beta' }, somebody())
    await connect('edr', 'north')
    await connect('edr', 'south', { organization: other.uuid })
    await go(isolate)
    await go(isolate, { run: await bench.startRun(other.uuid) })
    expect(bench.calls.map(({ skill }) => skill)).to.deep.equal(['north.contain', 'south.quarantine'])
  })

  it('asks a person through the connected vendor', async () => {
    await connect('chat', 'south')
    const steps = `  - id: sure
    checkpoint: { via: interface.ask, with: { user: kim@example.com, message: Was this you? }, answers: ["yes"], timeout: 1h }
  - return: \${{ steps.sure.output.answer }}`
    const run = await bench.startRun()
    const asking: TestSkills = { 'south.ask': () => ({ asked: 'kim' }) }
    const wakeUps = createWakeUps()
    const going = go(steps, { run, wakeUps }, asking)
    await settle()
    const question = (await bench.stores.checkpoints.atPath(run.uuid, 'sure'))!
    expect(question.question).to.include({ via: 'south.ask' })
    await bench.stores.checkpoints.answer(question.id, { value: 'yes', text: null }, somebody())
    wakeUps.wake()
    const { output } = await going
    expect(output).to.equal('yes')
    expect(bench.calls[0]?.input).to.deep.include({
      to: 'kim@example.com',
      text: 'Was this you?',
      answers: ['yes'],
    })
  })

  it('counts a destructive use as one of the concrete skill, and asks for the whole loop', async () => {
    await connect('edr', 'north')
    await connect('endpoints', 'south')
    const limits = { containment: 2, blocking: 9, deletion: 9, execution: 9 }
    const containing = { class: 'containment' } as const
    const run = await bench.startRun()
    const destructive = {
      'interface.isolate_machine': containing,
      'north.contain': containing,
      'south.quarantine': containing,
    }
    const wakeUps = createWakeUps()
    const going = go(isolateFound, { run, wakeUps, destructiveLimits: limits, destructive })
    await settle()
    expect(bench.calls.map(({ skill }) => skill)).to.have.members(['north.list_devices', 'south.search'])
    const asked = (await bench.stores.checkpoints.atPath(run.uuid, 'each/@approval'))!
    await bench.stores.checkpoints.answer(asked.id, { value: 'approve', text: null }, somebody())
    wakeUps.wake()
    expect((await going).status).to.equal('completed')
    expect(bench.calls.slice(2).map(({ skill }) => skill)).to.deep.equal([
      'north.contain',
      'south.quarantine',
      'south.quarantine',
    ])
  })
})
