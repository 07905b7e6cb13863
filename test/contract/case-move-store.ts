import { expect } from 'chai'
import { theRun, theServer } from '../../core/domain/audit.ts'
import type { Alert } from '../../core/domain/alert.ts'
import type { Run } from '../../core/domain/run.ts'
import type { CaseChanges } from '../../core/plugin/index.ts'
import type { SeenCase } from '../../core/ports/case-move-store.ts'
import { somebody } from '../support/somebody.ts'
import { completed, expectRejection, newAlert, timelineOf, type GetSubject } from './fixture.ts'

const kim = () => somebody()

interface Investigated {
  readonly alert: Alert
  readonly run: Run
  readonly caseId: string
}

export function caseMoveStoreContract(subject: GetSubject): void {
  describe('CaseMoveStore', () => {
    async function investigate(organization = subject().acme): Promise<Investigated> {
      const { stores } = subject()
      const { uuid: alertUuid } = await stores.alerts.create(newAlert(organization))
      const named = { playbookName: 'triage', playbookHash: 'a'.repeat(64) }
      const given = { organizationUuid: organization.uuid, ...named, alertUuid }
      const run = await stores.runs.queue(given, { title: 'Phishing' })
      const alert = (await stores.alerts.find('all', alertUuid))!
      return { alert, run, caseId: alert.caseId! }
    }

    const find = async (id: string) =>
      (await subject().stores.cases.find('all', id)) ?? expect.fail(`there is no case ${id}`)
    const seen = async (id: string): Promise<SeenCase> => ({ id, revision: (await find(id)).revision })
    const merge = async (target: string, ...sources: readonly string[]) =>
      subject().stores.caseMoves.merge(
        subject().acme.uuid,
        await seen(target),
        await Promise.all(sources.map(seen)),
        kim(),
      )
    const split = async (id: string, ...alerts: readonly string[]) =>
      subject().stores.caseMoves.split(subject().acme.uuid, await seen(id), { alerts }, kim())
    const says = (
      { run }: Investigated,
      id: string,
      changes: CaseChanges,
      key = `${run.uuid}/${Math.random()}`,
    ) => subject().stores.cases.update(subject().acme.uuid, id, changes, theRun(run.uuid, 'triage'), key)
    const textsOf = async (id: string) => (await timelineOf(subject().stores, id)).map(({ text }) => text)
    const caseOf = async ({ alert }: Investigated) =>
      (await subject().stores.alerts.find('all', alert.uuid))!.caseId

    describe('merge', () => {
      it('moves alerts, runs and results, and closes the merged case', async () => {
        const { stores } = subject()
        const [one, two] = [await investigate(), await investigate()]
        await says(one, one.caseId, { severity: 'low', verdict: 'benign', summary: 'a scan' })
        await says(two, two.caseId, { severity: 'high', verdict: 'malicious', summary: 'a miner' })
        const merged = await merge(one.caseId, two.caseId)
        expect(merged).to.include({ id: one.caseId, severity: 'high', verdict: 'malicious', status: 'open' })
        expect(merged.summary).to.equal(`${one.alert.id}: a scan\n\n${two.alert.id}: a miner`)
        expect(await find(two.caseId)).to.include({ status: 'closed', mergedInto: one.caseId })
        expect(await caseOf(two)).to.equal(one.caseId)
        expect(await stores.runs.find('all', two.run.uuid)).to.include({ caseId: one.caseId })
        const alert = await stores.alerts.find('all', two.alert.uuid)
        expect(alert?.joinedBecause).to.match(new RegExp(`merged case ${two.caseId} into it$`))
        expect((await stores.alerts.list('all', { caseId: two.caseId }, { limit: 5 })).total).to.equal(0)
      })

      it('shows both timelines together, and each case names the other', async () => {
        const { stores, acme } = subject()
        const [one, two] = [await investigate(), await investigate()]
        await stores.cases.comment(acme.uuid, two.caseId, 'my note', kim(), 'n')
        await merge(one.caseId, two.caseId)
        const texts = await textsOf(one.caseId)
        expect(texts).to.include('my note')
        expect(texts).to.include(
          `Case ${two.caseId} “Phishing” was merged into this case with 1 alert and 1 run.`,
        )
        expect((await textsOf(two.caseId)).at(-1)).to.match(
          new RegExp(`^Case ${two.caseId} was merged into ${one.caseId} “Phishing” with 1 alert and 1 run`),
        )
      })

      it('leads a run that still works in the merged case to the other', async () => {
        const { stores, acme } = subject()
        const [one, two] = [await investigate(), await investigate()]
        const key = `${two.run.uuid}/step`
        const by = theRun(two.run.uuid, 'triage')
        await stores.cases.comment(acme.uuid, two.caseId, 'before', by, key)
        await merge(one.caseId, two.caseId)
        await says(two, two.caseId, { verdict: 'suspicious' })
        expect((await find(one.caseId)).verdict).to.equal('suspicious')
        expect((await find(two.caseId)).verdict).to.equal('unknown')
        await stores.cases.comment(acme.uuid, two.caseId, 'after', by, `${key}2`)
        // A repeat after a crash.
        await stores.cases.comment(acme.uuid, two.caseId, 'before', by, key)
        const notes = (await timelineOf(stores, one.caseId)).filter(({ kind }) => kind === 'note')
        expect(notes.map(({ text }) => text)).to.deep.equal(['before', 'after'])
        const file = { name: 'x.eml', bytes: Buffer.from('x') }
        await stores.cases.files.attach(acme.uuid, two.caseId, file, by)
        expect(await stores.cases.files.list('all', one.caseId)).to.have.length(1)
        await stores.runs.end(two.run.uuid, completed)
        expect((await textsOf(one.caseId)).at(-1)).to.equal('The run of triage completed.')
      })

      it('leads webhooks and later runs that name the merged case to the other', async () => {
        const { stores, acme } = subject()
        const one = await investigate()
        const byReference = theRun(one.run.uuid, 'triage')
        const made = await stores.cases.create(acme.uuid, { title: 'Incident 7' }, byReference, 'reference/7')
        await merge(one.caseId, made.id)
        expect(await stores.cases.findByKey(acme.uuid, 'reference/7')).to.include({ id: one.caseId })
        await stores.cases.comment(acme.uuid, made.id, 'resolved there', theServer, 'w1')
        expect((await textsOf(one.caseId)).at(-1)).to.equal('resolved there')
        await stores.cases.update(acme.uuid, made.id, { status: 'in_progress' }, theServer, 'w2')
        expect(await find(one.caseId)).to.include({ status: 'in_progress' })
      })

      it('moves files, and keeps one of equal contents', async () => {
        const { stores, acme } = subject()
        const [one, two] = [await investigate(), await investigate()]
        const attach = (id: string, text: string) =>
          stores.cases.files.attach(acme.uuid, id, { name: text, bytes: Buffer.from(text) }, kim())
        await attach(one.caseId, 'same')
        await attach(two.caseId, 'same')
        await attach(two.caseId, 'other')
        await merge(one.caseId, two.caseId)
        const names = (await stores.cases.files.list('all', one.caseId)).map(({ name }) => name)
        expect(names).to.have.members(['same', 'other'])
      })

      it('changes nothing when it is repeated', async () => {
        const [one, two] = [await investigate(), await investigate()]
        const sources = [await seen(two.caseId)]
        const target = await seen(one.caseId)
        const { stores, acme } = subject()
        const first = await stores.caseMoves.merge(acme.uuid, target, sources, kim())
        const again = await stores.caseMoves.merge(acme.uuid, target, sources, kim())
        expect(again).to.deep.equal(first)
        expect((await textsOf(one.caseId)).filter((text) => text.includes('into this case'))).to.have.length(
          1,
        )
      })

      it('merges a case once that is named twice in a request', async () => {
        const [one, two] = [await investigate(), await investigate()]
        await merge(one.caseId, two.caseId, two.caseId)
        expect((await textsOf(one.caseId)).filter((text) => text.includes('into this case'))).to.have.length(
          1,
        )
      })

      it('leads from a case merged twice to the last', async () => {
        const [one, two, three] = [await investigate(), await investigate(), await investigate()]
        await merge(two.caseId, three.caseId)
        await merge(one.caseId, two.caseId)
        expect(await find(three.caseId)).to.include({ mergedInto: one.caseId })
        await says(three, three.caseId, { severity: 'critical' })
        expect(await find(one.caseId)).to.include({ severity: 'critical' })
        expect(await textsOf(one.caseId)).to.include(
          `Case ${three.caseId} “Phishing” was merged into this case with 1 alert and 1 run.`,
        )
      })

      it('keeps what a person decided in the remaining case', async () => {
        const { stores, acme } = subject()
        const [one, two] = [await investigate(), await investigate()]
        await stores.cases.edit(acme.uuid, one.caseId, { severity: 'low' }, kim(), undefined)
        await says(two, two.caseId, { severity: 'critical' })
        expect(await merge(one.caseId, two.caseId)).to.include({ severity: 'low' })
      })

      it('keeps what a person decided in the merged case, unless the other is worse', async () => {
        const { stores, acme } = subject()
        const [one, two] = [await investigate(), await investigate()]
        await says(one, one.caseId, { severity: 'high', verdict: 'benign' })
        await stores.cases.edit(
          acme.uuid,
          two.caseId,
          { severity: 'low', verdict: 'malicious' },
          kim(),
          undefined,
        )
        expect(await merge(one.caseId, two.caseId)).to.include({ severity: 'high', verdict: 'malicious' })
        await says(two, two.caseId, { severity: 'medium', verdict: 'benign', status: 'closed' })
        expect(await find(one.caseId)).to.include({ verdict: 'malicious', severity: 'high' })
        await says(one, one.caseId, { severity: 'low' })
        expect(await find(one.caseId)).to.include({ severity: 'medium' })
      })

      it('refuses changed, closed, merged and foreign cases, and the case itself', async () => {
        const { stores, acme, globex } = subject()
        const { caseMoves, cases } = stores
        const [one, two, three] = [await investigate(), await investigate(), await investigate()]
        const foreign = await investigate(globex)
        const [a, b, c] = [await seen(one.caseId), await seen(two.caseId), await seen(three.caseId)]
        const rejected = (target: SeenCase, sources: readonly SeenCase[], name: string, code: string) =>
          expectRejection(caseMoves.merge(acme.uuid, target, sources, kim()), name, code)
        await rejected({ ...a, revision: 9 }, [b], 'ConflictError', 'revision_changed')
        await rejected(a, [c, { ...b, revision: 9 }], 'ConflictError', 'revision_changed')
        expect(await caseOf(three)).to.equal(three.caseId)
        await rejected(a, [a], 'ValidationError', 'same_case')
        await rejected(a, [await seen(foreign.caseId)], 'NotFoundError', 'case_not_found')
        await merge(two.caseId, three.caseId)
        await rejected(a, [c], 'ConflictError', 'case_merged')
        await rejected(c, [a], 'ConflictError', 'case_merged')
        await expectRejection(
          cases.edit(acme.uuid, three.caseId, { severity: 'low' }, kim(), undefined),
          'ConflictError',
          'case_merged',
        )
        await cases.edit(acme.uuid, one.caseId, { status: 'closed' }, kim(), undefined)
        await rejected(await seen(one.caseId), [await seen(two.caseId)], 'ConflictError', 'case_closed')
      })
    })

    describe('split', () => {
      async function joined(count = 3) {
        const all: Investigated[] = []
        for (let at = 0; at < count; at++) all.push(await investigate())
        await merge(all[0]!.caseId, ...all.slice(1).map(({ caseId }) => caseId))
        return { id: all[0]!.caseId, all }
      }

      it('moves alerts with their runs to a new case', async () => {
        const { stores } = subject()
        const { id, all } = await joined()
        const [one, two, three] = all
        const opened = await split(id, two!.alert.id, three!.alert.uuid)
        expect(opened).to.include({ title: `Phishing (split from ${id})`, splitFrom: id, status: 'open' })
        expect(await caseOf(one!)).to.equal(id)
        expect(await caseOf(two!)).to.equal(opened.id)
        expect((await stores.runs.list('all', { caseId: opened.id }, { limit: 5 })).total).to.equal(2)
        expect((await textsOf(id)).at(-1)).to.equal(
          `2 alerts left for the new case ${opened.id}: ${two!.alert.id}, ${three!.alert.id}.`,
        )
        expect((await textsOf(opened.id)).at(-1)).to.contain(`The case was split from ${id} “Phishing”`)
      })

      it('moves the repeats of an alert with it', async () => {
        const { stores, acme } = subject()
        const post = async () => {
          const { uuid: alertUuid } = await stores.alerts.create(newAlert(acme))
          const group = {
            fingerprint: Buffer.alloc(32),
            reason: 'x is the same',
            windowMs: 60_000,
            caseTitle: () => 'x',
          }
          const named = { playbookName: 'triage', playbookHash: 'a'.repeat(64) }
          await stores.runs.queueOrGroup({ organizationUuid: acme.uuid, ...named, alertUuid }, group, {
            title: 'x',
          })
          return (await stores.alerts.find('all', alertUuid))!
        }
        const [first, repeat] = [await post(), await post()]
        const other = await investigate()
        await merge(first.caseId!, other.caseId)
        const opened = await split(first.caseId!, first.id)
        const now = async ({ uuid }: Alert) => (await stores.alerts.find('all', uuid))!
        expect((await now(repeat)).caseId).to.equal(opened.id)
        expect((await now(other.alert)).caseId).to.equal(first.caseId)
        expect((await now(await post())).caseId).to.equal(opened.id)
      })

      it('gives each case the results of its own alerts', async () => {
        const { id, all } = await joined(2)
        await says(all[0]!, id, { severity: 'low', verdict: 'benign', summary: 'a scan' })
        await says(all[1]!, id, { severity: 'critical', verdict: 'malicious', summary: 'a miner' })
        const opened = await split(id, all[1]!.alert.id)
        expect(await find(id)).to.include({ severity: 'low', verdict: 'benign', summary: 'a scan' })
        expect(await find(opened.id)).to.include({
          severity: 'critical',
          verdict: 'malicious',
          summary: 'a miner',
        })
      })

      it('leads active runs to the case of their alert, and others not', async () => {
        const { id, all } = await joined(3)
        const opened = await split(id, all[1]!.alert.id)
        await says(all[1]!, id, { severity: 'critical' })
        await says(all[2]!, id, { severity: 'high' })
        expect(await find(opened.id)).to.include({ severity: 'critical' })
        expect(await find(id)).to.include({ severity: 'high' })
        const back = await merge(id, opened.id)
        expect(back).to.include({ severity: 'critical' })
        await says(all[1]!, opened.id, { verdict: 'malicious' })
        expect(await find(id)).to.include({ verdict: 'malicious' })
      })

      it('keeps open questions with their run', async () => {
        const { stores } = subject()
        const { id, all } = await joined(2)
        const { run } = all[1]!
        const question = {
          via: 'operator',
          input: { message: 'Was it you?' },
          answers: ['yes', 'no'],
          form: null,
        }
        const timeoutAt = subject().clock.nowMs + 60_000
        const asked = { path: 'ask', stepId: 'ask', question, timeoutAt }
        const { id: questionId } = await stores.checkpoints.open(run.uuid, asked)
        const opened = await split(id, all[1]!.alert.id)
        expect(await stores.checkpoints.find('all', questionId)).to.include({ caseId: opened.id })
        await stores.checkpoints.answer(questionId, { value: 'yes', text: null }, kim())
        expect((await textsOf(opened.id)).at(-1)).to.equal("answered 'yes', to: Was it you?")
      })

      it('leads later related alerts to the case of the last alert with their key', async () => {
        const { stores, acme } = subject()
        const key = { key: Buffer.alloc(32, 7), reason: 'user is the same', windowMs: 60_000, max: 100 }
        const post = async () => {
          const { uuid: alertUuid } = await stores.alerts.create(newAlert(acme))
          const correlation = { keys: [key], skipped: [], caseTitle: 'x' }
          const named = { playbookName: 'triage', playbookHash: 'a'.repeat(64) }
          await stores.runs.queue({ organizationUuid: acme.uuid, ...named, alertUuid, correlation })
          return (await stores.alerts.find('all', alertUuid))!
        }
        const [first, second] = [await post(), await post()]
        const opened = await split(first.caseId!, second.id)
        expect((await post()).caseId).to.equal(opened.id)
        await merge(first.caseId!, opened.id)
        expect((await post()).caseId).to.equal(first.caseId)
      })

      it('refuses alerts of other cases, all alerts, and changed or merged cases', async () => {
        const { stores, acme } = subject()
        const { caseMoves } = stores
        const { id, all } = await joined(2)
        const other = await investigate()
        const rejected = async (alerts: readonly string[], code: string, from?: SeenCase) =>
          expectRejection(
            caseMoves.split(acme.uuid, from ?? (await seen(id)), { alerts }, kim()),
            'ConflictError',
            code,
          )
        await rejected([other.alert.id], 'alert_not_in_case')
        await rejected(['Acme-SIEM-999'], 'alert_not_in_case')
        await rejected(['x'.repeat(1_000_000)], 'alert_not_in_case')
        await rejected(
          all.map(({ alert }) => alert.id),
          'nothing_left',
        )
        await rejected([all[1]!.alert.id], 'revision_changed', { id, revision: 99 })
        await rejected([all[1]!.alert.id], 'case_merged', await seen(all[1]!.caseId))
        expect(await caseOf(all[1]!)).to.equal(id)
      })
    })

    it('loses no write of runs while cases are merged and split', async () => {
      const { stores, acme } = subject()
      const all = await Promise.all(Array.from({ length: 12 }, () => investigate()))
      const into = { id: all[0]!.caseId, revision: undefined }
      const write = async (one: Investigated, at: number) => {
        const by = theRun(one.run.uuid, 'triage')
        for (let n = 0; n < 4; n++)
          await stores.cases.comment(acme.uuid, one.caseId, `${at}.${n}`, by, `${one.run.uuid}/${n}`)
        await stores.cases.update(acme.uuid, one.caseId, { severity: 'high' }, by, `${one.run.uuid}/u`)
      }
      const move = async ({ alert, caseId }: Investigated) => {
        await stores.caseMoves.merge(acme.uuid, into, [{ id: caseId, revision: undefined }], kim())
        await stores.caseMoves.split(acme.uuid, into, { alerts: [alert.id] }, kim())
      }
      await Promise.all([...all.map(write), ...all.slice(1).map(move)])
      const ids = (await stores.cases.list('all', {}, { limit: 200 })).data.filter(
        ({ mergedInto }) => mergedInto === null,
      )
      const notes = await Promise.all(ids.map(({ id }) => timelineOf(stores, id)))
      const texts = notes.flat().flatMap(({ kind, text }) => (kind === 'note' ? [text] : []))
      expect(texts.toSorted()).to.deep.equal(
        all.flatMap((_, at) => [0, 1, 2, 3].map((n) => `${at}.${n}`)).toSorted(),
      )
      for (const one of all) expect(await find((await caseOf(one))!)).to.include({ severity: 'high' })
    })

    it('is in the audit log', async () => {
      const { stores } = subject()
      const [one, two] = [await investigate(), await investigate()]
      await merge(one.caseId, two.caseId)
      const opened = await split(one.caseId, two.alert.id)
      const entries = (await stores.audit.list('all', {}, { limit: 2 })).data
      expect(entries.map(({ action, subject: { id }, details }) => [action, id, details])).to.deep.equal([
        ['case.split', one.caseId, { into: opened.id, alerts: [two.alert.id] }],
        ['case.merged', two.caseId, { into: one.caseId, alerts: 1, runs: 1 }],
      ])
    })
  })
}
