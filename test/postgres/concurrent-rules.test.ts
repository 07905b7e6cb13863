import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { Organization } from '../../core/domain/organization.ts'
import { serverLimits } from '../../core/destructive/policy.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { newAlert } from '../contract/fixture.ts'
import { describePostgres } from '../support/postgres.ts'
import { times } from '../support/random.ts'
import { somebody } from '../support/somebody.ts'
import type { CallOutcome, StoreCall } from './children/writes-at-times.ts'
import { openTemporaryPostgresStores } from './support/stores.ts'
import { startTwoWriters, type TwoWriters } from './support/two-writers.ts'

const pairs = times(20)
const day = 86_400_000

const calling = (name: string, ...args: unknown[]): StoreCall => {
  const [store = '', method = ''] = name.split('.')
  return { store, method, args }
}
/** The same call by both. */
const both = (name: string, ...args: unknown[]) => [calling(name, ...args), calling(name, ...args)] as const
const forEachPair = <T>(make: (index: number) => T): T[] =>
  Array.from({ length: pairs }, (_, index) => make(index))
const hashOf = (text: string) => createHash('sha256').update(text).digest()
const question = { via: 'operator', input: { message: 'Was it you?' }, answers: ['yes', 'no'], form: null }

function valueOf(outcome: CallOutcome): any {
  if ('value' in outcome) return outcome.value
  throw new Error(outcome.message)
}
/** What became of each call: `ok`, or the code of its error. */
const kindOf = (outcome: CallOutcome): string => ('value' in outcome ? 'ok' : outcome.code)

/** Expects that of each pair exactly one is `winner`, and the other `loser`; either may be first. */
function expectOneOfEach(
  results: readonly CallOutcome[][],
  kind: (outcome: CallOutcome) => string,
  of: readonly [string, string],
) {
  expect(results).to.have.length(pairs)
  const wrong = results
    .map((pair) => pair.map(kind).toSorted())
    .filter((pair) => String(pair) !== String(of.toSorted()))
  expect(wrong, `pairs that are not ${of.join(' and ')}`).to.deep.equal([])
}

describePostgres('two nodes that write the same at the same moment', function () {
  let opened: Awaited<ReturnType<typeof openTemporaryPostgresStores>>
  let writers: TwoWriters
  let stores: Stores
  let acme: Organization
  let globex: Organization

  before(async () => {
    opened = await openTemporaryPostgresStores({
      clock: { now: () => Date.now(), monotonic: () => performance.now() },
    })
    stores = opened.stores
    acme = await stores.organizations.create({ code: 'Acme', name: 'Acme Ltd' }, somebody())
    globex = await stores.organizations.create({ code: 'Globex', name: 'Globex Corp' }, somebody())
    await stores.providers.create({ code: 'SIEM', name: 'The SIEM' }, somebody())
    writers = await startTwoWriters(opened.address)
  })
  after(async () => {
    await writers?.close()
    await opened?.dispose()
  })

  const newRun = (organization = acme) => ({
    organizationUuid: organization.uuid,
    playbookName: 'triage',
    playbookHash: 'a'.repeat(64),
    alertUuid: null,
  })
  const startedRun = async () => {
    const { uuid } = await stores.runs.queue(newRun())
    await stores.runs.start(uuid, { title: 'x' })
    return uuid
  }

  it('number alerts and cases without a gap, in each organization', async () => {
    const organizations = [acme, globex]
    const runs = await Promise.all(
      organizations.flatMap((organization) =>
        forEachPair(() =>
          stores.alerts
            .create(newAlert(organization))
            .then(({ uuid }) => stores.runs.queue({ ...newRun(organization), alertUuid: uuid })),
        ),
      ),
    )
    const start = (index: number) => calling('runs.start', runs[index]?.uuid, { title: 'x' })
    const started = await writers.callPairs(
      forEachPair((index) => [start(index), start(index + pairs)] as const),
    )
    const caseIds = started.flat().map((outcome) => valueOf(outcome).caseId)
    for (const { code } of organizations) {
      const numbers = caseIds
        .filter((id) => id.startsWith(`${code}-`))
        .map((id) => Number(id.split('-').at(-1)))
      expect(numbers.toSorted((one, other) => one - other)).to.deep.equal(forEachPair((index) => index + 1))
    }
    const created = await writers.callPairs(
      forEachPair((index) => both('alerts.create', newAlert(index % 2 ? acme : globex))),
    )
    const ids = created.flat().map((outcome) => valueOf(outcome).id)
    expect(new Set(ids).size).to.equal(2 * pairs)
  })

  it('investigate one of two equal alerts', async () => {
    const alerts = await Promise.all(
      forEachPair(() => Promise.all([1, 2].map(() => stores.alerts.create(newAlert(acme))))),
    )
    const queue = (alert: string, index: number) =>
      calling(
        'runs.queueOrGroup',
        { ...newRun(), alertUuid: alert },
        { fingerprint: hashOf(`group ${index}`), reason: 'user is the same', windowMs: day },
      )
    const results = await writers.callPairs(
      alerts.map(([one, other], index) => [queue(one!.uuid, index), queue(other!.uuid, index)] as const),
    )
    expectOneOfEach(results, (outcome) => ('run' in valueOf(outcome) ? 'run' : 'repeat'), ['run', 'repeat'])
  })

  it('begin no more destructive actions than the limit allows', async () => {
    const runs = [await startedRun(), await startedRun()]
    const use = (run: string | undefined, index: number) =>
      calling('journal.begin', run, {
        path: `isolate ${index}`,
        stepId: 'isolate',
        kind: 'edr.isolate',
        input: {},
        attempt: 1,
        startedAt: Date.now(),
        destructive: {
          class: 'containment',
          input: {},
          checks: { limits: serverLimits({ containment: pairs }) },
        },
      })
    const results = await writers.callPairs(
      forEachPair((index) => [use(runs[0], index), use(runs[1], index)] as const),
    )
    const begun = results.flat().filter((outcome) => valueOf(outcome) === undefined)
    expect(begun).to.have.length(pairs)
  })

  it('keep one of the last two administrator keys', async () => {
    const create = (id: string) =>
      stores.keys.create(
        { id, name: id, role: 'admin', organizationUuids: null, secretHash: hashOf(id), expiresAt: null },
        somebody(),
      )
    let kept = (await create('key 0')).id
    const results: CallOutcome[][] = []
    for (let index = 1; index <= pairs; index++) {
      const { id } = await create(`key ${index}`)
      const revoke = (key: string) => calling('keys.revoke', key, somebody())
      const [pair = []] = await writers.callPairs([[revoke(kept), revoke(id)]])
      results.push(pair)
      if (kindOf(pair[0]!) === 'ok') kept = id
    }
    expectOneOfEach(results, kindOf, ['ok', 'last_admin_key'])
  })

  it('take one answer to a question', async () => {
    const run = await startedRun()
    const asked = await Promise.all(
      forEachPair((index) =>
        stores.checkpoints.open(run, {
          path: `ask ${index}`,
          stepId: null,
          question,
          timeoutAt: Date.now() + day,
        }),
      ),
    )
    const answer = (id: string, value: string) =>
      calling('checkpoints.answer', id, { value, text: null }, somebody(value))
    const results = await writers.callPairs(
      asked.map(({ id }) => [answer(id, 'yes'), answer(id, 'no')] as const),
    )
    expectOneOfEach(results, (outcome) => valueOf(outcome).outcome, ['accepted', 'second'])
  })

  it('tell of two questions of one kind once', async () => {
    const open = async (index: number) => {
      const of = { stepId: `ask_${index}`, question, timeoutAt: Date.now() + day }
      return calling('checkpoints.open', await startedRun(), { path: `ask ${index}`, ...of })
    }
    const pairs = await Promise.all(
      forEachPair(async (index) => [await open(index), await open(index)] as const),
    )
    // One at a time: a write that fails in a group is tried again.
    const results = await writers.callPairs(pairs, 1)
    expect(new Set(results.flat().map(kindOf))).to.deep.equal(new Set(['ok']))
    const area = { organizations: { except: [] }, toAll: ['question_asked'], toMe: [] } as const
    const reader = {
      account: 'somebody',
      since: 0,
      areas: [{ ...area, published: false, browser: [], identities: [] }],
    }
    const { data } = await stores.notifications.list(reader, { limit: 200 })
    const asked = data.filter(({ facts }) => facts.step?.startsWith('ask_'))
    expect(asked.map(({ count }) => count)).to.deep.equal(pairs.map(() => 2))
  })

  it('fire a schedule once', async () => {
    const schedules = forEachPair((index) => ({
      playbookName: `scheduled ${index}`,
      organizationUuid: acme.uuid,
      cron: '* * * * *',
      timezone: 'UTC',
      nextAt: 1_000,
    }))
    await stores.schedules.keep(schedules)
    const results = await writers.callPairs(
      schedules.map((schedule) => both('schedules.fire', schedule, 2_000, newRun(), { overlap: true })),
    )
    expectOneOfEach(results, (outcome) => ('uuid' in valueOf(outcome) ? 'run' : 'nothing'), [
      'nothing',
      'run',
    ])
  })

  it('run one of two with the same concurrency key', async () => {
    const concurrent = (policy: string, index: number) =>
      both('runs.queue', { ...newRun(), concurrency: { key: `${policy} ${index}`, policy } })
    const dropped = await writers.callPairs(forEachPair((index) => concurrent('drop', index)))
    expectOneOfEach(dropped, (outcome) => valueOf(outcome).status, ['queued', 'cancelled'])
    const queued = await writers.callPairs(forEachPair((index) => concurrent('queue', index)))
    const start = (outcome: CallOutcome | undefined) =>
      calling('runs.start', valueOf(outcome!).uuid, { title: 'x' })
    const started = await writers.callPairs(queued.map(([one, other]) => [start(one), start(other)] as const))
    expectOneOfEach(started, (outcome) => (valueOf(outcome) === undefined ? 'held' : 'runs'), [
      'held',
      'runs',
    ])
  })

  it('do the work of an idempotency key once', async () => {
    const request = (index: number, isRecalled: boolean) => {
      const name = `once ${index} ${isRecalled}`
      const once = { apiKeyUuid: 'u', key: name, asks: name, keepMs: day }
      return both('requests.once', once, newAlert(acme, { type: name }), isRecalled)
    }
    for (const isRecalled of [true, false]) {
      const results = await writers.callPairs(forEachPair((index) => request(index, isRecalled)))
      expectOneOfEach(results, (outcome) => String(valueOf(outcome).replayed), ['false', 'true'])
      for (const [one, other] of results) expect(valueOf(one!).answer).to.equal(valueOf(other!).answer)
    }
    const { total } = await stores.alerts.list('all', { type: 'once 7 true' }, { limit: 5 })
    expect(total).to.equal(1)
  })

  it('store an alert once', async () => {
    const results = await writers.callPairs(
      forEachPair((index) =>
        both('alerts.createOnce', newAlert(acme), { key: `alert ${index}`, keepMs: day }),
      ),
    )
    expectOneOfEach(results, (outcome) => String(valueOf(outcome).replayed), ['false', 'true'])
  })

  it('use an invitation once', async () => {
    const roles = [{ role: 'reader', organizationUuid: null }]
    const tokens = forEachPair((index) => hashOf(`invitation ${index}`))
    for (const [index, tokenHash] of tokens.entries()) {
      const email = `person-${index}@example.com`
      const { uuid } = await stores.accounts.create({ email, name: 'x', roles }, somebody())
      await stores.invitations.create(
        { accountUuid: uuid, tokenHash, expiresAt: Date.now() + day },
        somebody(),
      )
    }
    const results = await writers.callPairs(
      tokens.map((tokenHash) => both('invitations.accept', tokenHash, { passwordHash: 'h' }, null)),
    )
    expectOneOfEach(results, kindOf, ['invitation_not_found', 'ok'])
  })

  it('add to one audit chain', async () => {
    const subject = { kind: 'account', id: 'x', name: 'x' } as const
    const entry = { action: 'account.invited', by: somebody(), organizationUuid: acme.uuid, subject } as const
    const before = (await stores.audit.head())?.sequence ?? 0
    const results = await writers.callPairs(forEachPair(() => both('audit.record', entry)))
    for (const outcome of results.flat()) valueOf(outcome)
    const { entries, broken } = await stores.audit.verify()
    expect({ entries, broken }).to.deep.equal({ entries: before + 2 * pairs, broken: null })
  })
})
