import { expect } from 'chai'
import { currentLogFields, withLogFields } from '../../core/common/log-context.ts'
import { theRun } from '../../core/domain/audit.ts'
import type { Organization } from '../../core/domain/organization.ts'
import type { Run } from '../../core/domain/run.ts'
import { newRun } from '../../core/engine/turns/queue-run.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { createEventDispatcher, type EventDispatcher } from '../../core/trigger/event-dispatcher.ts'
import { newAlert, timelineOf, type OpenedStores } from '../contract/fixture.ts'
import { ManualClock, settle } from '../engine/support/manual-clock.ts'
import { somebody } from '../support/somebody.ts'
import { openTemporaryStores } from '../support/stores.ts'

function playbook(name: string, on: string, more = ''): Playbook {
  const source = `apiVersion: tocsin/v1\nname: ${name}\non: ${on}\n${more}steps: [{ return: 1 }]\n`
  const parsed = parsePlaybook(source)
  if (parsed.playbook === undefined) throw new Error(JSON.stringify(parsed.problems))
  return parsed.playbook
}

const closed = playbook('closed', '{ case: { event: closed, where: \'trigger.case.verdict == "benign"\' } }')
const anyChange = playbook('any-change', '{ case: { event: [status_changed, verdict_changed] } }')

describe('events that start playbooks', () => {
  let opened: OpenedStores
  let clock: ManualClock
  let organization: Organization
  let live: readonly Playbook[]
  let started: Run[]
  let logged: string[]
  let fields: unknown[]
  let isAccepting: boolean
  let dispatcher: EventDispatcher

  beforeEach(async () => {
    clock = new ManualClock()
    opened = await openTemporaryStores({ clock })
    organization = await opened.stores.organizations.create({ code: 'acme', name: 'Acme' }, somebody())
    await opened.stores.providers.create({ code: 'SIEM', name: 'SIEM' }, somebody())
    started = []
    logged = []
    fields = []
    isAccepting = true
  })
  afterEach(async () => {
    await dispatcher.stop()
    await opened.dispose()
  })

  function watch(...playbooks: Playbook[]): void {
    live = playbooks
    const warn = (_: object, message: string): void => void logged.push(message)
    dispatcher = createEventDispatcher({
      stores: opened.stores,
      clock,
      log: { debug() {}, info() {}, warn, error: warn },
      playbooks: () => live,
      accepting: () => isAccepting,
      enqueue(run) {
        started.push(run)
        fields.push(currentLogFields())
      },
    })
    dispatcher.start()
  }

  const { uuid: none } = { uuid: '' }
  let key = 0
  const open = (title = 'One') =>
    opened.stores.cases.create(organization.uuid, { title }, somebody(), `key-${none}${key++}`)
  const edit = (id: string, changes: object, by = somebody()) =>
    opened.stores.cases.edit(organization.uuid, id, changes, by, undefined)
  async function settled(): Promise<void> {
    await settle()
    for (let left = 200; left > 0 && (await opened.stores.triggers.countPending()) > 0; left--) await settle()
    await settle()
  }
  const names = () => started.map(({ playbookName }) => playbookName)

  describe('changes of cases', () => {
    it('start every playbook whose event and condition fit, once, in the case', async () => {
      watch(closed, anyChange)
      const { id } = await open()
      await edit(id, { verdict: 'benign' })
      await edit(id, { status: 'closed' })
      await edit(id, { title: 'Two' })
      await settled()
      expect(names()).to.deep.equal(['any-change', 'closed', 'any-change'])
      const run = (await opened.stores.runs.find('all', started[1]!.uuid))!
      expect(run.caseId).to.equal(id)
      expect(run.trigger).to.deep.equal({
        kind: 'case',
        at: new Date(clock.now()).toISOString(),
        chain: [],
        events: ['closed', 'status_changed'],
        actor: { kind: 'api_key', name: 'ops' },
        case: {
          id,
          title: 'One',
          summary: '',
          status: 'closed',
          severity: 'medium',
          verdict: 'benign',
          assignee: null,
          closing_reason: null,
          resolution: '',
        },
        before: {
          title: 'One',
          summary: '',
          status: 'open',
          severity: 'medium',
          verdict: 'benign',
          assignee: null,
          closing_reason: null,
          resolution: '',
        },
      })
    })

    it('start runs outside of the request that makes them', async () => {
      watch(anyChange)
      const { id } = await open()
      await withLogFields({ run: 'r-1' }, () => edit(id, { status: 'closed' }))
      await settled()
      expect(fields).to.deep.equal([undefined])
    })

    it('include new cases, and stay in their organization', async () => {
      watch(playbook('new-case', '{ case: { event: opened } }'))
      await open()
      const other = await opened.stores.organizations.create({ code: 'beta', name: 'Beta' }, somebody())
      await opened.stores.cases.create(other.uuid, { title: 'Theirs' }, somebody(), 'key')
      await settled()
      expect(started.map(({ organizationUuid }) => organizationUuid)).to.deep.equal([
        organization.uuid,
        other.uuid,
      ])
      expect(started[1]!.caseId).to.equal('beta-1')
    })

    it('that happened before a crash start their runs at the next start, once', async () => {
      watch(anyChange)
      await dispatcher.stop()
      const { id } = await open()
      await edit(id, { status: 'closed' })
      expect(await opened.stores.triggers.countPending()).to.equal(1)
      watch(anyChange)
      await settled()
      await dispatcher.stop()
      watch(anyChange)
      await settled()
      expect(names()).to.deep.equal(['any-change'])
    })

    it('start nothing if the playbook was removed meanwhile', async () => {
      watch(anyChange)
      await dispatcher.stop()
      await edit((await open()).id, { status: 'closed' })
      watch(closed)
      await settled()
      expect(names()).to.deep.equal([])
      expect(await opened.stores.triggers.countPending()).to.equal(0)
    })

    it('are noted only while a live playbook waits for them', async () => {
      watch(anyChange)
      live = []
      dispatcher.takeOver()
      await edit((await open()).id, { status: 'closed' })
      expect(await opened.stores.triggers.countPending()).to.equal(0)
    })

    it('never start a playbook because of its own run, also not through another playbook', async () => {
      const other = playbook('other', '{ case: { event: verdict_changed } }')
      watch(anyChange, other)
      const { id } = await open()
      await edit(id, { status: 'in_progress' })
      await settled()
      const [first] = started
      await edit(id, { verdict: 'benign' }, theRun(first!.uuid, 'any-change'))
      await settled()
      expect(names()).to.deep.equal(['any-change', 'other'])
      expect(started[1]!.trigger?.chain).to.deep.equal(['any-change'])
      await edit(id, { verdict: 'malicious' }, theRun(started[1]!.uuid, 'other'))
      await settled()
      expect(names()).to.deep.equal(['any-change', 'other'])
      const texts = (await timelineOf(opened.stores, id)).map(({ text }) => text)
      expect(texts.filter((text) => text.includes('not started'))).to.deep.equal([
        'The playbook any-change was not started: its own run led to this event (any-change → any-change).',
        'The playbook any-change was not started: its own run led to this event (any-change → other → any-change).',
        'The playbook other was not started: its own run led to this event (any-change → other → other).',
      ])
    })

    it('include the case that a run opens when it is queued, but not for its own playbook', async () => {
      const both = playbook('both', '{ alert: { type: phishing }, case: { event: opened } }')
      const other = playbook('other', '{ case: { event: opened } }')
      watch(both, other)
      const { runs, alerts } = opened.stores
      const alert = await alerts.create(newAlert(organization))
      await runs.queue(newRun({ playbook: both, organization, alert }), { title: 'Phishing' })
      await settled()
      expect(started.map(({ playbookName, trigger }) => [playbookName, trigger?.chain])).to.deep.equal([
        ['other', ['both']],
      ])
    })

    it('count the run of an alert as the first of a chain', async () => {
      watch(anyChange)
      const { id } = await open()
      const run = await opened.stores.runs.queue(newRun({ playbook: closed, organization }))
      await edit(id, { status: 'closed' }, theRun(run.uuid, 'closed'))
      await settled()
      expect(started[0]!.trigger?.chain).to.deep.equal(['closed'])
    })

    it('do not include a merge, which decides nothing about the merged case', async () => {
      watch(closed, anyChange)
      const [{ id, revision }, source] = [await open(), await open()]
      await edit(source.id, { verdict: 'benign' })
      await settled()
      const sources = [{ id: source.id, revision: undefined }]
      await opened.stores.caseMoves.merge(organization.uuid, { id, revision }, sources, somebody())
      await settled()
      expect(started.map((run) => [run.playbookName, run.caseId])).to.deep.equal([
        ['any-change', source.id],
        ['any-change', id],
      ])
    })

    it('show in the case that a condition failed', async () => {
      watch(
        playbook('broken', '{ case: { event: closed, where: "int(trigger.case.title) > 1" } }'),
        anyChange,
      )
      const { id } = await open('no number')
      await edit(id, { status: 'closed' })
      await settled()
      expect(names()).to.deep.equal(['any-change'])
      expect((await timelineOf(opened.stores, id)).at(-1)?.text).to.match(
        /^The playbook broken was not started: `where` failed: expression_\w+\.$/,
      )
      expect(logged).to.deep.equal(['an event did not start the playbook, or an alert was not counted'])
    })

    it('that cannot be settled are given up, and hold up no others', async () => {
      watch(playbook('gone', '{ case: { event: [opened, closed] } }'))
      const { triggers } = opened.stores
      const settle = triggers.settle.bind(triggers)
      let failures = 0
      triggers.settle = (event, outcome) =>
        outcome.runs.length > 0 && failures++ === 0
          ? Promise.reject(new Error('a bug'))
          : settle(event, outcome)
      const { id } = await open()
      await edit(id, { status: 'closed' })
      await settled()
      expect(names()).to.deep.equal(['gone'])
      expect(logged).to.deep.equal(['could not start playbooks for an event'])
      expect((await timelineOf(opened.stores, id)).map(({ text }) => text)).to.include(
        'No playbook was started for this change: see the log of the server.',
      )
    })

    it('wait while the queue of the organization is full, also a thousand of them', async () => {
      watch(anyChange)
      isAccepting = false
      const cases = await Promise.all(Array.from({ length: 1_000 }, () => open()))
      await Promise.all(cases.map(({ id }) => edit(id, { status: 'closed' })))
      await settle()
      expect(started).to.have.length(0)
      expect(await opened.stores.triggers.countPending()).to.equal(1_000)
      isAccepting = true
      await clock.advance(5_000)
      await settled()
      expect(new Set(started.map(({ caseId }) => caseId)).size).to.equal(1_000)
      expect(started).to.have.length(1_000)
    }).timeout(60_000)
  })

  describe('observables in alerts', () => {
    const third = playbook('third', '{ entity: { kind: ip, times: 3, within: 1h } }')
    const seen = (ip: string, more: object = {}) =>
      opened.stores.alerts.create(
        newAlert(organization, {
          content: JSON.stringify({ search_name: 'x', sid: '1', result: { src: ip, ...more } }),
        }),
      )

    it('start a playbook when an observable is seen the given number of times in the window', async () => {
      watch(third)
      await seen('198.51.100.7')
      await seen('203.0.113.9')
      await clock.advance(60_000)
      await seen('198.51.100.7')
      await settled()
      expect(names()).to.deep.equal([])
      const last = await seen('198.51.100.7')
      await settled()
      expect(names()).to.deep.equal(['third'])
      const { trigger, caseId, alertId } = started[0]!
      expect(trigger).to.deep.include({
        kind: 'entity',
        entity: { kind: 'ip', value: '198.51.100.7' },
        count: 3,
        first_seen: new Date(clock.now() - 60_000).toISOString(),
      })
      expect(trigger?.['alerts']).to.have.length(3).and.include(last.id)
      expect([caseId, alertId]).to.deep.equal([null, null])
    })

    it('start it once in a window, and again after it', async () => {
      watch(third)
      for (let count = 0; count < 8; count++) await seen('198.51.100.7')
      await settled()
      expect(started).to.have.length(1)
      await clock.advance(3_600_000)
      await seen('198.51.100.7')
      await seen('198.51.100.7')
      await settled()
      expect(started).to.have.length(1)
      await seen('198.51.100.7')
      await settled()
      expect(started).to.have.length(2)
    })

    it('are counted exactly when many alerts arrive at once', async () => {
      const many = playbook('many', '{ entity: { kind: ip, times: 50, within: 1h } }')
      watch(many)
      await Promise.all(Array.from({ length: 49 }, () => seen('198.51.100.7')))
      await settled()
      expect(started).to.have.length(0)
      await Promise.all(Array.from({ length: 20 }, () => seen('198.51.100.7')))
      await settled()
      expect(started.map(({ trigger }) => trigger?.['count'])).to.deep.equal([50])
    })

    it('obey the condition, and one alert counts once', async () => {
      watch(
        playbook(
          'public-only',
          "{ entity: { kind: ip, times: 2, within: 1h, where: '!isPrivateIp(trigger.entity.value)' } }",
        ),
      )
      for (const ip of ['10.0.0.1', '10.0.0.1', '198.51.100.7']) await seen(ip, { src_ip: ip })
      await settled()
      expect(started).to.have.length(0)
      await seen('198.51.100.7')
      await settled()
      expect(started.map(({ trigger }) => trigger?.['entity'])).to.deep.equal([
        { kind: 'ip', value: '198.51.100.7' },
      ])
    })

    it('can be given by an expression, which leaves out alerts where it is null or fails', async () => {
      const on = "{ entity: { kind: user, value: 'alert.data.result.user', times: 2, within: 1h } }"
      watch(playbook('by-user', on))
      await seen('198.51.100.7')
      await seen('198.51.100.7', { user: null })
      await seen('198.51.100.7', { user: 'anna' })
      await seen('198.51.100.8', { user: ['anna', 'bob'] })
      await settled()
      expect(started.map(({ trigger }) => trigger?.['entity'])).to.deep.equal([
        { kind: 'user', value: 'anna' },
      ])
      expect(logged).to.have.length(1)
    })

    it('keep their count when alerts without the value arrive in between', async () => {
      const on = "{ entity: { kind: user, value: 'alert.data.result.user', times: 2, within: 1h } }"
      watch(playbook('by-user', on))
      await seen('198.51.100.7', { user: 'anna' })
      await settled()
      await clock.advance(1_000)
      await seen('198.51.100.7')
      await settled()
      await seen('198.51.100.7', { user: 'anna' })
      await settled()
      expect(names()).to.deep.equal(['by-user'])
    })

    it('cost nothing while no playbook counts them', async () => {
      watch(anyChange)
      await seen('198.51.100.7')
      expect(await opened.stores.triggers.countPending()).to.equal(0)
    })
  })
})
