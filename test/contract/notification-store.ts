import { expect } from 'chai'
import { builtInRoles, type BuiltInRole } from '../../core/access/permissions.ts'
import type { Account, AccountRole } from '../../core/access/account.ts'
import { anyApprover, type ApprovalTerms } from '../../core/domain/destructive-use.ts'
import { approvalPath } from '../../core/engine/journal/paths.ts'
import { theRun, type Actor } from '../../core/domain/audit.ts'
import { notificationReader } from '../../core/notification/notification-reader.ts'
import { notificationText } from '../../core/notification/notification-text.ts'
import { notificationBounds, type NotificationChoice } from '../../core/notification/notification.ts'
import { somebody } from '../support/somebody.ts'
import { completed, failed, newAlert, startedRun, type GetSubject } from './fixture.ts'

const question = { via: 'operator', input: { message: 'Was it you?' }, answers: ['yes', 'no'], form: null }
const actorOf = ({ uuid, name }: Account): Actor => ({ kind: 'account', id: uuid, name, requestId: null })
const asRun = theRun('00000000-0000-4000-8000-000000000001', 'triage')

export function notificationStoreContract(subject: GetSubject): void {
  describe('NotificationStore', () => {
    let anna: Account
    let bert: Account
    beforeEach(async () => {
      anna = await join('Anna', [{ role: 'analyst', organizationUuid: null }])
      bert = await join('Bert', [{ role: 'analyst', organizationUuid: subject().acme.uuid }])
      subject().clock.nowMs += 1_000
    })

    async function join(name: string, roles: readonly AccountRole[]): Promise<Account> {
      const { accounts } = subject().stores
      const { uuid } = await accounts.create({ email: `${name}@example.com`, name, roles }, somebody())
      return await accounts.join(uuid, somebody())
    }

    const readerOf = (account: Account, choices: readonly NotificationChoice[] = []) =>
      notificationReader(
        account,
        account.roles.map(({ role, organizationUuid }) => ({
          role,
          permissions: builtInRoles[role as BuiltInRole].permissions,
          scope: organizationUuid === null ? 'all' : [organizationUuid],
        })),
        choices,
      )
    const store = () => subject().stores.notifications
    const list = async (account: Account, choices?: readonly NotificationChoice[], isUnread?: boolean) =>
      (await store().list(readerOf(account, choices), { limit: 50 }, { isUnread })).data
    const texts = async (account: Account, choices?: readonly NotificationChoice[], isUnread?: boolean) =>
      (await list(account, choices, isUnread)).map(notificationText)
    const unread = (account: Account, choices?: readonly NotificationChoice[]) =>
      store().countUnread(readerOf(account, choices))
    const pass = (ms: number) => (subject().clock.nowMs += ms)

    let opened = 0
    const openCase = (changes: object = {}, by: Actor = asRun, of: 'acme' | 'globex' = 'acme') =>
      subject().stores.cases.create(
        subject()[of].uuid,
        { title: 'Phishing', ...changes },
        by,
        `case/${opened++}`,
      )
    const ask = async (path: string, terms?: ApprovalTerms, run?: string) => {
      const { stores, clock } = subject()
      const asked = run ?? (await startedRun(subject(), null)).uuid
      return await stores.checkpoints.open(asked, {
        path: terms === undefined ? path : approvalPath(path),
        stepId: path,
        question:
          terms === undefined
            ? question
            : {
                ...question,
                input: { skill: 'edr.isolate' },
                answers: ['approve', 'refuse'],
                approval: terms,
              },
        timeoutAt: clock.nowMs + 86_400_000,
      })
    }
    const terms = (changes: Partial<ApprovalTerms> = {}): ApprovalTerms => ({
      rule: null,
      needed: 1,
      by: anyApprover,
      escalation: null,
      expiresMs: 1,
      inputHash: 'x',
      connection: null,
      ...changes,
    })
    const runFailed: NotificationChoice = {
      kind: 'run_failed',
      organizationUuid: null,
      page: true,
      browser: false,
    }

    it('tells those who may answer a question, once, until it is settled', async () => {
      const run = await startedRun(subject(), null)
      const { id } = await ask('confirm', undefined, run.uuid)
      await ask('confirm', undefined, run.uuid)
      const reader = await join('Rita', [{ role: 'reader', organizationUuid: null }])
      const elsewhere = await join('Gus', [{ role: 'analyst', organizationUuid: subject().globex.uuid }])
      for (const each of [anna, bert]) {
        expect(await list(each)).to.have.length(1)
        expect((await list(each))[0]).to.deep.include({
          kind: 'question_asked',
          organizationUuid: subject().acme.uuid,
          subject: { kind: 'checkpoint', id },
          count: 1,
          isRead: false,
          isSettled: false,
        })
        expect(await unread(each)).to.equal(1)
      }
      expect(await texts(anna)).to.deep.equal(['phishing-triage asks a question (step confirm)'])
      expect(await list(reader)).to.deep.equal([])
      expect(await list(elsewhere)).to.deep.equal([])
      await subject().stores.checkpoints.answer(id, { value: 'yes', text: null }, somebody())
      expect((await list(anna))[0]).to.include({ isSettled: true })
      expect(await unread(anna)).to.equal(0)
      expect(await list(anna, [], true)).to.deep.equal([])
    })

    it('gathers questions of one kind, and is unread again for the next one', async () => {
      await ask('confirm')
      const reader = readerOf(anna)
      await store().markRead(reader, { uuids: (await list(anna)).map(({ uuid }) => uuid) })
      expect(await unread(anna)).to.equal(0)
      expect(await unread(bert), 'each person reads alone').to.equal(1)
      pass(10)
      await ask('confirm')
      expect(await texts(anna, [], true)).to.deep.equal(['phishing-triage asked 2 questions (step confirm)'])
    })

    it('tells of an approval those whom its rule names, and not the person who started the run', async () => {
      const { stores, acme } = subject()
      const run = await stores.runs.queue({
        organizationUuid: acme.uuid,
        playbookName: 'contain',
        playbookHash: 'b'.repeat(64),
        alertUuid: null,
        by: actorOf(bert),
      })
      await stores.runs.start(run.uuid, { title: 'x' })
      await ask('isolate', terms(), run.uuid)
      expect(await texts(anna)).to.deep.equal(['edr.isolate needs an approval for contain'])
      expect(await list(bert)).to.deep.equal([])
      await ask('other', terms({ by: { ...anyApprover, accounts: [bert.uuid] } }))
      await ask('third', terms({ by: { ...anyApprover, roles: ['Analyst'] } }))
      await ask('fourth', terms({ by: { ...anyApprover, roles: ['admin'] } }))
      expect(await list(bert)).to.have.length(2)
      expect(await list(anna)).to.have.length(2)
    })

    it('tells of an escalation at its time, unless the approval was given before', async () => {
      const escalation = {
        atMs: subject().clock.nowMs + 60_000,
        by: { ...anyApprover, accounts: [anna.uuid] },
      }
      const by = { ...anyApprover, accounts: [bert.uuid] }
      const first = await ask('isolate', terms({ by, escalation }))
      expect(await store().tellDue()).to.equal(false)
      expect(await list(anna)).to.deep.equal([])
      pass(60_000)
      await store().tellDue()
      await store().tellDue()
      expect(await texts(anna)).to.deep.equal(['edr.isolate still needs an approval for phishing-triage'])
      await subject().stores.checkpoints.answer(first.id, { value: 'refuse', text: null }, somebody())
      const later = { ...escalation, atMs: subject().clock.nowMs + 3_600_000 }
      const second = await ask('isolate', terms({ by, escalation: later }))
      await subject().stores.checkpoints.answer(second.id, { value: 'refuse', text: null }, somebody())
      pass(3_600_000)
      await store().tellDue()
      expect(await list(anna)).to.have.length(1)
    })

    it('tells the person whom a skill asked, by the e-mail address', async () => {
      const run = await startedRun(subject(), null)
      const { checkpoints } = subject().stores
      await checkpoints.open(run.uuid, {
        path: 'chat',
        stepId: 'chat',
        question: { ...question, via: 'chat.ask' },
        timeoutAt: subject().clock.nowMs + 1_000,
      })
      expect(await list(anna)).to.deep.equal([])
      await checkpoints.asked(run.uuid, 'chat', { asked: 'U1', asked_name: 'BERT@example.com' })
      await checkpoints.asked(run.uuid, 'chat', { asked: 'U1', asked_name: 'BERT@example.com' })
      expect(await list(anna)).to.deep.equal([])
      expect(await list(bert)).to.have.length(1)
    })

    it('tells the new assignee of a case, by name or e-mail address, and nobody of the own doing', async () => {
      const { stores, acme } = subject()
      const { id } = await openCase()
      const assign = (assignee: string | null, by: Account) =>
        stores.cases.edit(acme.uuid, id, { assignee }, actorOf(by), undefined)
      await assign('bert', anna)
      await assign('Anna', anna)
      await assign('nobody we know', anna)
      await assign('BERT@example.com', anna)
      await stores.cases.edit(acme.uuid, id, { title: 'Other' }, actorOf(anna), undefined)
      expect(await texts(bert)).to.deep.equal([
        'Anna assigned Acme-1 to you: “Phishing”',
        'Anna assigned Acme-1 to you: “Phishing”',
      ])
      expect(await list(anna)).to.deep.equal([])
      await openCase({ assignee: 'Anna' })
      expect(await texts(anna)).to.deep.equal(['triage assigned Acme-2 to you: “Phishing”'])
    })

    it('tells the owner of a task, and the people whom a note mentions', async () => {
      const { stores, acme } = subject()
      const { id } = await openCase()
      const task = await stores.caseWork.addTask(
        acme.uuid,
        id,
        { title: 'Call <b>Kim</b>', owner: 'Bert' },
        actorOf(anna),
      )
      await stores.caseWork.changeTask(acme.uuid, id, task.uuid, { done: true }, undefined, actorOf(anna))
      pass(1)
      const mentions = [anna, bert].map(({ uuid, name }) => ({ account_id: uuid, name }))
      const note = () => stores.cases.comment(acme.uuid, id, '@Anna @Bert', actorOf(anna), 'key', mentions)
      await note()
      await note()
      expect(await texts(bert)).to.deep.equal([
        'Anna mentioned you in Acme-1: “Phishing”',
        'Anna gave you a task in Acme-1: “Call <b>Kim</b>”',
      ])
      expect(await list(anna)).to.deep.equal([])
    })

    it('tells once of each missed target, the assignee or else all who may take the case', async () => {
      const { stores, acme } = subject()
      const targets = { medium: { respondMs: 1_000, resolveMs: 60_000 } }
      await stores.organizations.target(acme.uuid, targets, undefined, somebody())
      await openCase({ assignee: 'Bert' })
      await openCase()
      // Targets are looked for among listed cases.
      await stores.cases.list('all', { isActive: true }, { limit: 1 })
      pass(999)
      expect(await store().tellDue()).to.equal(false)
      expect(await list(anna)).to.deep.equal([])
      pass(1)
      await store().tellDue()
      await store().tellDue()
      expect(await texts(anna)).to.deep.equal(['Acme-2 missed its target time to respond: “Phishing”'])
      expect(await texts(bert)).to.have.length(3)
      await stores.cases.edit(acme.uuid, 'Acme-2', { status: 'closed' }, somebody(), undefined)
      await stores.cases.edit(acme.uuid, 'Acme-1', { assignee: 'Anna' }, somebody(), undefined)
      pass(60_000)
      await store().tellDue()
      expect((await texts(anna))[0]).to.equal('Acme-1 missed its target time to close: “Phishing”')
      expect(await texts(bert)).to.have.length(3)
    })

    it('makes one of a storm of failed runs with one cause, for the publisher and those who chose it', async () => {
      const { stores } = subject()
      const source = 'a playbook'
      const hash = 'a'.repeat(64)
      await stores.playbooks.put(
        { name: 'phishing-triage', hash, source, origin: 'file', organizationUuid: null },
        actorOf(bert),
      )
      for (let n = 0; n < 30; n++) {
        const { uuid } = await startedRun(subject(), null)
        await stores.runs.end(uuid, failed)
        pass(1)
      }
      const fine = await startedRun(subject(), null)
      await stores.runs.end(fine.uuid, completed)
      const other = await startedRun(subject(), null)
      await stores.runs.end(other.uuid, { ...failed, error: { code: 'http_503', message: 'secret' } })
      const all = [
        'A run of phishing-triage failed with http_503',
        '30 runs of phishing-triage failed with timeout',
      ]
      expect(await texts(bert)).to.deep.equal(all)
      expect(await texts(anna)).to.deep.equal([])
      expect(await texts(anna, [runFailed])).to.deep.equal(all)
      const here = { ...runFailed, organizationUuid: subject().globex.uuid }
      expect(await texts(anna, [here])).to.deep.equal([])
      await store().markRead(readerOf(bert), { until: subject().clock.nowMs })
      const again = await startedRun(subject(), null)
      await stores.runs.end(again.uuid, failed)
      expect(await unread(bert), 'a storm that goes on is no news').to.equal(0)
    })

    it('hides what a role no longer allows, and what a choice turns off', async () => {
      await ask('confirm')
      await openCase({ assignee: 'Anna' })
      expect(await list(anna)).to.have.length(2)
      const off: NotificationChoice = {
        kind: 'case_assigned',
        organizationUuid: subject().acme.uuid,
        page: false,
        browser: true,
      }
      expect(await list(anna, [off])).to.have.length(1)
      const reading = { ...anna, roles: [{ role: 'reader', organizationUuid: null }] }
      expect(await texts(reading)).to.deep.equal(['triage assigned Acme-1 to you: “Phishing”'])
      expect(await list({ ...anna, roles: [] })).to.deep.equal([])
      expect(
        await list({ ...anna, roles: [{ role: 'admin', organizationUuid: subject().globex.uuid }] }),
      ).to.deep.equal([])
    })

    it('counts as read what was there before the person, and what a new choice shows', async () => {
      const { uuid } = await startedRun(subject(), null)
      await subject().stores.runs.end(uuid, failed)
      const late = await join('Late', [{ role: 'admin', organizationUuid: null }])
      expect(await list(late, [runFailed])).to.have.length(1)
      expect(await unread(late, [runFailed])).to.equal(0)
      expect(await unread(anna, [runFailed])).to.equal(1)
      const readers = { before: readerOf(anna), after: readerOf(anna, [runFailed]) }
      await store().choose(anna.uuid, [runFailed], readers)
      expect(await store().choices(anna.uuid)).to.deep.equal([runFailed])
      expect(await store().choices(bert.uuid)).to.deep.equal([])
      expect(await unread(anna, [runFailed])).to.equal(0)
    })

    it('pages by time, and marks all as read up to a time', async () => {
      for (let n = 0; n < 5; n++) {
        await openCase({ assignee: 'Anna', title: `Case ${n}` })
        pass(10)
      }
      const first = await store().list(readerOf(anna), { limit: 2 })
      expect(first.total).to.equal(5)
      const second = await store().list(readerOf(anna), { limit: 2, cursor: first.nextCursor! })
      expect([...first.data, ...second.data].map(({ facts }) => facts.title)).to.deep.equal([
        'Case 4',
        'Case 3',
        'Case 2',
        'Case 1',
      ])
      await store().markRead(readerOf(anna), { until: second.data[0]!.at })
      expect((await list(anna)).map(({ isRead }) => isRead)).to.deep.equal([false, false, true, true, true])
      expect(await unread(anna)).to.equal(2)
    })

    it('is announced to listeners, also when somebody read it', async () => {
      const told: unknown[] = []
      const stop = subject().stores.changes.listen((changes) => {
        for (const { kind, organizationUuid } of changes)
          if (kind === 'notification') told.push(organizationUuid)
      })
      await openCase()
      await subject().changesTold()
      expect(told).to.deep.equal([])
      await openCase({ assignee: 'Anna' })
      await subject().changesTold()
      expect(told.splice(0)).to.deep.equal([subject().acme.uuid])
      await store().markRead(readerOf(anna), { until: subject().clock.nowMs })
      await subject().changesTold()
      expect(told).to.deep.equal([null])
      stop()
    })

    it('costs a run that ends well, and an alert, no row', async () => {
      const { stores, acme } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      const { uuid } = await startedRun(subject(), alert)
      await stores.runs.end(uuid, completed)
      expect(await list(anna, [runFailed])).to.deep.equal([])
    })

    it('is deleted after 90 days', async () => {
      await openCase({ assignee: 'Anna' })
      await store().markRead(readerOf(anna), { uuids: (await list(anna)).map(({ uuid }) => uuid) })
      const limits = { idleMs: 1e12, maxMs: 1e12 }
      pass(notificationBounds.keepMs - 1)
      await subject().stores.retention.clearExpired(limits)
      expect(await list(anna)).to.have.length(1)
      pass(1)
      await subject().stores.retention.clearExpired(limits)
      expect(await list(anna)).to.deep.equal([])
    })
  })
}
