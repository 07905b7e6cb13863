import { expect } from 'chai'
import { personOf } from '../../core/domain/audit.ts'
import { accountStoreContract } from './account-store.ts'
import { credentialStoreContract } from './credential-store.ts'
import { alertGroupsContract } from './alert-groups.ts'
import { firstRunsContract } from './first-runs.ts'
import { alertStoreContract } from './alert-store.ts'
import { auditStoreContract } from './audit-store.ts'
import { caseFileStoreContract } from './case-file-store.ts'
import { caseMoveStoreContract } from './case-move-store.ts'
import { caseStoreContract } from './case-store.ts'
import { caseWorkStoreContract } from './case-work-store.ts'
import { sharedFilterStoreContract } from './shared-filter-store.ts'
import { changeSourceContract } from './change-source.ts'
import { checkpointStoreContract } from './checkpoint-store.ts'
import { containmentChecksContract } from './containment-checks.ts'
import { containmentStoreContract } from './containment-store.ts'
import { correlationContract } from './correlation.ts'
import { connectionStoreContract } from './connection-store.ts'
import { expectRejection, newAlert, type MakeStores, type OpenedStores, type Subject } from './fixture.ts'
import { eventWaitStoreContract } from './event-wait-store.ts'
import { inboundStoreContract } from './inbound-store.ts'
import { journalStoreContract } from './journal-store.ts'
import { journalReaderContract } from './journal-reader.ts'
import { keyStoreContract } from './key-store.ts'
import { organizationStoreContract } from './organization-store.ts'
import { pagingContract } from './paging.ts'
import { draftStoreContract } from './draft-store.ts'
import { playbookStoreContract } from './playbook-store.ts'
import { providerStoreContract } from './provider-store.ts'
import { requestStoreContract } from './request-store.ts'
import { retentionStoreContract } from './retention-store.ts'
import { runStoreContract } from './run-store.ts'
import { rerunsContract } from './reruns.ts'
import { runTurnsContract } from './run-turns.ts'
import { lostTurnsContract } from './lost-turns.ts'
import { scheduleStoreContract } from './schedule-store.ts'
import { sessionStoreContract } from './session-store.ts'
import { signInStoreContract } from './sign-in-store.ts'
import { shadowStoreContract } from './shadow-store.ts'
import { singleSignOnStoreContract } from './single-sign-on-store.ts'
import { stateStoreContract } from './state-store.ts'
import { notificationStoreContract } from './notification-store.ts'
import { nodeStoreContract } from './node-store.ts'
import { numberStoreContract } from './number-store.ts'
import { observableStoreContract } from './observable-store.ts'
import { triggerStoreContract } from './trigger-store.ts'
import { transitionsContract } from './transitions.ts'
import { somePerson, somebody } from '../support/somebody.ts'

/** The contract of every adapter of `Stores`. Call it inside a `describe` that names the adapter. */
export function storesContract(makeStores: MakeStores): void {
  let opened: OpenedStores
  let subject: Subject

  beforeEach(async () => {
    const clock = { nowMs: 1_700_000_000_000 }
    opened = await makeStores({ now: () => clock.nowMs })
    const { stores } = opened
    const acme = await stores.organizations.create({ code: 'Acme', name: 'Acme Ltd' }, somebody())
    const globex = await stores.organizations.create({ code: 'Globex', name: 'Globex Corp' }, somebody())
    await stores.providers.create({ code: 'SIEM', name: 'The SIEM' }, somebody())
    const { another, changesTold = () => Promise.resolve() } = opened
    subject = { stores, another, changesTold, clock, acme, globex }
  })

  afterEach(() => opened.dispose())

  const getSubject = () => subject
  organizationStoreContract(getSubject)
  nodeStoreContract(getSubject)
  providerStoreContract(getSubject)
  keyStoreContract(getSubject)
  accountStoreContract(getSubject)
  credentialStoreContract(getSubject)
  signInStoreContract(getSubject)
  sessionStoreContract(getSubject)
  singleSignOnStoreContract(getSubject)
  requestStoreContract(getSubject)
  alertStoreContract(getSubject)
  pagingContract(getSubject)
  caseStoreContract(getSubject)
  caseFileStoreContract(getSubject)
  caseMoveStoreContract(getSubject)
  caseWorkStoreContract(getSubject)
  notificationStoreContract(getSubject)
  sharedFilterStoreContract(getSubject)
  correlationContract(getSubject)
  playbookStoreContract(getSubject)
  draftStoreContract(getSubject)
  runStoreContract(getSubject)
  rerunsContract(getSubject)
  runTurnsContract(getSubject)
  lostTurnsContract(getSubject)
  transitionsContract(getSubject)
  alertGroupsContract(getSubject)
  firstRunsContract(getSubject)
  journalStoreContract(getSubject)
  journalReaderContract(getSubject)
  checkpointStoreContract(getSubject)
  containmentStoreContract(getSubject)
  containmentChecksContract(getSubject)
  eventWaitStoreContract(getSubject)
  inboundStoreContract(getSubject)
  scheduleStoreContract(getSubject)
  triggerStoreContract(getSubject)
  shadowStoreContract(getSubject)
  observableStoreContract(getSubject)
  numberStoreContract(getSubject)
  stateStoreContract(getSubject)
  connectionStoreContract(getSubject)
  auditStoreContract(getSubject)
  retentionStoreContract(getSubject)
  changeSourceContract(getSubject)

  describe('the stores', () => {
    it('answer a probe and continue', async () => {
      await subject.stores.probe()
      await subject.stores.probe()
      expect(await subject.stores.organizations.list('all')).to.have.length(2)
    })

    it('remember whether runs are paused', async () => {
      const { pause, audit } = subject.stores
      expect(await pause.get()).to.equal(undefined)
      const held = await pause.pause('why', personOf('anna'))
      expect(held).to.deep.equal({ by: somePerson('anna'), since: subject.clock.nowMs, reason: 'why' })
      subject.clock.nowMs++
      expect(await pause.pause('because', personOf('bert'))).to.deep.equal(held)
      expect(await pause.get()).to.deep.equal(held)
      await pause.resume(personOf('bert'))
      await pause.resume(personOf('bert'))
      expect(await pause.get()).to.equal(undefined)
      const { data } = await audit.list('all', {}, { limit: 2 })
      expect(data.map(({ action, actor }) => [action, actor.name])).to.deep.equal([
        ['engine.resumed', 'bert'],
        ['engine.paused', 'anna'],
      ])
    })

    it('finish pending writes when they close, and refuse later calls', async () => {
      const { stores, acme } = subject
      const writes = Array.from({ length: 20 }, () => stores.alerts.create(newAlert(acme)))
      const closing = stores.close()
      expect(await Promise.all(writes)).to.have.length(20)
      await closing
      await expectRejection(stores.alerts.create(newAlert(acme)), 'UnavailableError', 'store_closed')
      await expectRejection(stores.organizations.list('all'), 'UnavailableError', 'store_closed')
      await expectRejection(stores.probe(), 'UnavailableError', 'store_closed')
    })
  })
}
