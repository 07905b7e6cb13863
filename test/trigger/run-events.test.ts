import { expect } from 'chai'
import { theRun } from '../../core/domain/audit.ts'
import type { Organization } from '../../core/domain/organization.ts'
import type { Run, RunTrigger } from '../../core/domain/run.ts'
import { newRun } from '../../core/engine/turns/queue-run.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { approvalPath } from '../../core/engine/journal/paths.ts'
import { schemaOfTrigger } from '../../core/trigger/trigger-schema.ts'
import { compileSchema } from '../../core/schema/index.ts'
import { createEventDispatcher, type EventDispatcher } from '../../core/trigger/event-dispatcher.ts'
import { completed, failed, type OpenedStores } from '../contract/fixture.ts'
import { ManualClock, settle } from '../engine/support/manual-clock.ts'
import { somebody } from '../support/somebody.ts'
import { openTemporaryStores } from '../support/stores.ts'

function playbook(name: string, on: string): Playbook {
  const source = `apiVersion: tocsin/v1\nname: ${name}\non: ${on}\nsteps: [{ return: 1 }]\n`
  const parsed = parsePlaybook(source)
  if (parsed.playbook === undefined) throw new Error(JSON.stringify(parsed.problems))
  return parsed.playbook
}

const manual = playbook('manual', '{ manual: true }')
const onFailed = playbook('on-failed', '{ run: { event: failed, where: \'trigger.error.code != "quiet"\' } }')
const alsoOnFailed = playbook('also-on-failed', '{ run: { event: [failed, unknown] }, manual: true }')
const asked = playbook('asked', '{ question: {} }')
const waiting = playbook('waiting', '{ question: { after: 15m, where: trigger.question.is_approval } }')
const mentioned = playbook('mentioned', '{ case: { event: [mentioned, overdue] } }')

describe('runs and questions that start playbooks', () => {
  let opened: OpenedStores
  let clock: ManualClock
  let organization: Organization
  let started: Run[]
  let dispatcher: EventDispatcher

  beforeEach(async () => {
    clock = new ManualClock()
    opened = await openTemporaryStores({ clock })
    organization = await opened.stores.organizations.create({ code: 'acme', name: 'Acme' }, somebody())
    started = []
  })
  afterEach(async () => {
    await dispatcher.stop()
    await opened.dispose()
  })

  function watch(...playbooks: Playbook[]): void {
    const ignore = (): void => {}
    dispatcher = createEventDispatcher({
      stores: opened.stores,
      clock,
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      playbooks: () => playbooks,
      accepting: () => true,
      enqueue: (run) => void started.push(run),
    })
    dispatcher.start()
  }

  const stores = () => opened.stores
  async function startedRun(of = manual, trigger?: RunTrigger): Promise<Run> {
    const queued = await stores().runs.queue(newRun({ playbook: of, organization, trigger }))
    return (await stores().runs.start(queued.uuid, { title: 'x' })) ?? expect.fail('it did not start')
  }
  const ask = (run: Run, path: string) =>
    stores().checkpoints.open(run.uuid, {
      path,
      stepId: 'sure',
      question: { via: 'operator', input: { skill: 'edr.isolate' }, answers: ['approve'], form: null },
      timeoutAt: clock.now() + 86_400_000,
    })
  const quiet = async () => {
    for (let n = 0; n < 20; n++) await settle()
  }
  const names = () => started.splice(0).map(({ playbookName }) => playbookName)
  const expectFits = ({ trigger }: Run) => {
    const fits = compileSchema(schemaOfTrigger(trigger!.kind))
    expect(fits.problems(trigger)).to.deep.equal([])
  }

  it('start for a failed run, with what failed, and not for one that ended well', async () => {
    watch(onFailed, alsoOnFailed, asked)
    await stores().runs.end((await startedRun()).uuid, completed)
    const run = await startedRun()
    await stores().runs.end(run.uuid, failed)
    await quiet()
    const [first] = started
    expectFits(first!)
    expect(first!.trigger).to.deep.include({
      kind: 'run',
      chain: ['manual'],
      events: ['failed'],
      run: { id: run.uuid, playbook: 'manual', alert_id: null, case_id: null },
      step: null,
      error: { code: 'timeout', message: 'too slow' },
    })
    expect(names()).to.deep.equal(['on-failed', 'also-on-failed'])
    await stores().runs.end((await startedRun()).uuid, { ...failed, error: { code: 'quiet', message: '' } })
    await quiet()
    expect(names()).to.deep.equal(['also-on-failed'])
  })

  it('are never started by a failed run of their own kind, nor by their own', async () => {
    watch(onFailed, alsoOnFailed)
    await stores().runs.end((await startedRun()).uuid, failed)
    await quiet()
    for (const run of started.splice(0)) {
      await stores().runs.start(run.uuid, { title: 'x' })
      await stores().runs.end(run.uuid, failed)
    }
    await quiet()
    expect(names()).to.deep.equal([])
    await stores().runs.end((await startedRun(alsoOnFailed)).uuid, failed)
    await quiet()
    expect(names(), 'started by hand: only the other one').to.deep.equal(['on-failed'])
  })

  it('start for a step with an unknown outcome', async () => {
    watch(alsoOnFailed)
    const run = await startedRun()
    const step = {
      path: 'isolate',
      stepId: 'isolate',
      kind: 'edr.isolate',
      input: {},
      attempt: 1,
      startedAt: 1,
    }
    await stores().journal.begin(run.uuid, step)
    await stores().journal.park(run.uuid, 'isolate')
    await stores().journal.park(run.uuid, 'isolate')
    await quiet()
    expectFits(started[0]!)
    expect(started[0]!.trigger).to.deep.include({
      events: ['unknown'],
      step: { path: 'isolate', skill: 'edr.isolate' },
      error: { code: 'unknown_outcome', message: 'whether edr.isolate took effect is unknown' },
    })
    expect(names()).to.deep.equal(['also-on-failed'])
  })

  it('start for a question once when it is asked, and for an approval that waits too long', async () => {
    watch(asked, waiting)
    const run = await startedRun()
    await ask(run, approvalPath('isolate'))
    await ask(run, approvalPath('isolate'))
    await quiet()
    expectFits(started[0]!)
    expect(names()).to.deep.equal(['asked'])
    await ask(await startedRun(), 'sure')
    await quiet()
    expect(names()).to.deep.equal(['asked'])
    await clock.advance(15 * 60_000)
    await quiet()
    expectFits(started[0]!)
    expect(started[0]!.trigger).to.deep.include({ waited_seconds: 900 })
    expect(names(), 'only the approval').to.deep.equal(['waiting'])
    expect(await stores().triggers.countPending()).to.equal(0)
  })

  it('do not start for a question that was answered in time', async () => {
    watch(waiting)
    const { id } = await ask(await startedRun(), approvalPath('isolate'))
    await quiet()
    await stores().checkpoints.answer(id, { value: 'approve', text: null }, somebody())
    await clock.advance(15 * 60_000)
    await quiet()
    expect(names()).to.deep.equal([])
    expect(await stores().triggers.countPending()).to.equal(0)
  })

  it('keep waiting over a restart of the server', async () => {
    watch(waiting)
    await ask(await startedRun(), approvalPath('isolate'))
    await dispatcher.stop()
    await clock.advance(15 * 60_000)
    watch(waiting)
    await quiet()
    expect(names()).to.deep.equal(['waiting'])
  })

  it('do not start for the question of a run that a question started', async () => {
    watch(asked)
    await ask(await startedRun(), 'sure')
    await quiet()
    const [first] = started.splice(0)
    await stores().runs.start(first!.uuid, { title: 'x' })
    await ask(first!, 'sure')
    await quiet()
    expect(names()).to.deep.equal([])
  })

  it('start for a mention and for a missed target of a case', async () => {
    watch(mentioned)
    const by = theRun('00000000-0000-4000-8000-000000000001', 'triage')
    const targets = { medium: { respondMs: 1_000 } }
    await stores().organizations.target(organization.uuid, targets, undefined, somebody())
    const { id } = await stores().cases.create(organization.uuid, { title: 'x' }, by, 'a')
    const comment = (key: string, mentions: { account_id: string; name: string }[]) =>
      stores().cases.comment(organization.uuid, id, '@Kim', by, key, mentions)
    await comment('b', [])
    await comment('c', [{ account_id: 'k', name: 'Kim' }])
    await quiet()
    expectFits(started[0]!)
    expect(started[0]!.trigger).to.deep.include({ events: ['mentioned'] })
    expect(names()).to.deep.equal(['mentioned'])
    await stores().cases.list('all', { isActive: true }, { limit: 1 })
    await clock.advance(1_000)
    await stores().notifications.tellDue()
    await stores().notifications.tellDue()
    await quiet()
    expect(started[0]!.trigger).to.deep.include({
      events: ['overdue'],
      actor: { kind: 'server', name: 'server' },
    })
    expect(names()).to.deep.equal(['mentioned'])
  })
})
