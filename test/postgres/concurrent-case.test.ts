import { expect } from 'chai'
import type { DestructiveOutcome } from '../../core/destructive/containment.ts'
import type { Organization } from '../../core/domain/organization.ts'
import type { JournalEnd } from '../../core/ports/runs/journal-store.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { describePostgres } from '../support/postgres.ts'
import { times } from '../support/random.ts'
import { somebody } from '../support/somebody.ts'
import { openTemporaryPostgresStores } from './support/stores.ts'
import { startTwoWriters, type TwoWriters } from './support/two-writers.ts'

const runs = times(20)

describePostgres('writes of runs about containments at the same moment', function () {
  let opened: Awaited<ReturnType<typeof openTemporaryPostgresStores>>
  let writers: TwoWriters
  let stores: Stores
  let acme: Organization

  before(async () => {
    opened = await openTemporaryPostgresStores({ clock: Date })
    stores = opened.stores
    acme = await stores.organizations.create({ code: 'Acme', name: 'Acme Ltd' }, somebody())
    writers = await startTwoWriters(opened.address)
  })
  after(async () => {
    await writers?.close()
    await opened?.dispose()
  })

  const newRun = () => ({
    organizationUuid: acme.uuid,
    playbookName: 'contain',
    playbookHash: 'a'.repeat(64),
    alertUuid: null,
  })

  /** A run that is calling a destructive skill. */
  async function calling(skill: 'edr.isolate' | 'edr.release', input: object = {}): Promise<string> {
    const { uuid } = await stores.runs.queue(newRun())
    await stores.runs.start(uuid, { title: 'x' })
    await stores.journal.begin(uuid, {
      path: 'act',
      stepId: 'act',
      kind: skill,
      input,
      attempt: 1,
      startedAt: Date.now(),
      destructive: { class: 'containment', input },
    })
    return uuid
  }

  const ended = (call: DestructiveOutcome): JournalEnd => ({
    state: 'completed',
    output: {},
    error: null,
    attempt: 1,
    endedAt: Date.now(),
    call,
  })
  const isolated = (input: object) =>
    ended({ connection: null, contains: { skill: 'edr.release', input: { ...input } } })

  async function callPairs(pairs: Parameters<TwoWriters['callPairs']>[0]): Promise<void> {
    const results = await writers.callPairs(pairs, 1)
    expect(results.flat().filter((outcome) => 'code' in outcome)).to.deep.equal([])
  }

  it('leave a destructive action in the case that another branch of its run opens', async () => {
    const isolating = await Promise.all(Array.from({ length: runs }, () => calling('edr.isolate')))
    await callPairs(
      isolating.map((run) => [
        { store: 'journal', method: 'end', args: [run, 'act', isolated({})] },
        { store: 'runs', method: 'openCase', args: [run, { title: 'x' }] },
      ]),
    )
    const found = await Promise.all(
      isolating.map(async (uuid) => {
        const { caseId } = (await stores.runs.find('all', uuid))!
        const { total } = await stores.cases.actions('all', caseId!, 5)
        const { data } = await stores.containments.list('all', { limit: 5 }, { runUuid: uuid })
        return { actions: total, ofCase: data[0]?.caseId === caseId }
      }),
    )
    expect(found).to.deep.equal(isolating.map(() => ({ actions: 1, ofCase: true })))
  })

  it('leave a containment undone that another run undoes when its own undo fails', async () => {
    const pairs = await Promise.all(
      Array.from({ length: runs }, async (_, index) => {
        const machine = { id: `m${index}` }
        const isolating = await calling('edr.isolate', machine)
        await stores.journal.end(isolating, 'act', isolated(machine))
        const { data } = await stores.containments.list('all', { limit: 5 }, { runUuid: isolating })
        const undoing = await stores.runs.queue({ ...newRun(), undoes: data[0]!.id })
        await stores.runs.start(undoing.uuid, { title: 'x' })
        return { undoing: undoing.uuid, releasing: await calling('edr.release', machine) }
      }),
    )
    const error = { code: 'timeout', message: 'no answer' }
    await callPairs(
      pairs.map(({ undoing, releasing }) => [
        { store: 'runs', method: 'end', args: [undoing, { status: 'failed', output: null, error }] },
        { store: 'journal', method: 'end', args: [releasing, 'act', ended({ connection: null })] },
      ]),
    )
    const { total } = await stores.containments.list('all', { limit: 5 }, { states: ['failed'] })
    expect(total).to.equal(0)
  })
})
