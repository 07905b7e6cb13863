import { expect } from 'chai'
import { alertStatus, notInvestigated, type Alert } from '../../core/domain/alert.ts'
import { alertSorts, type AlertSort } from '../../core/ports/alert-store.ts'
import type { OrganizationScope } from '../../core/ports/common.ts'
import {
  completed,
  expectRejection,
  newAlert,
  queuedRun,
  startedRun,
  unknownUuid,
  uuidPattern,
  type GetSubject,
} from './fixture.ts'
import { somebody } from '../support/somebody.ts'

export function alertStoreContract(subject: GetSubject): void {
  describe('AlertStore', () => {
    it('stores an alert as Created, with an id made of codes and sequence', async () => {
      const { stores, acme, clock } = subject()
      const given = newAlert(acme, { provider: 'siem', createdAtSource: 12n })
      const alert = await stores.alerts.create(given)
      expect(alert).to.deep.equal({
        ...given,
        provider: 'SIEM',
        id: 'Acme-SIEM-1',
        uuid: alert.uuid,
        organizationCode: 'Acme',
        createdAt: clock.nowMs,
        modifiedAt: clock.nowMs,
        ...notInvestigated,
      })
      expect(alert.uuid).to.match(uuidPattern)
      expect(await stores.alerts.find('all', alert.uuid)).to.deep.equal(alert)
    })

    it('counts per organization and provider without gaps, even for concurrent and refused alerts', async () => {
      const { stores, acme, globex } = subject()
      await stores.providers.create({ code: 'DLP', name: 'x' }, somebody())
      const outcomes = await Promise.allSettled(
        Array.from({ length: 120 }, (_, index) =>
          stores.alerts.create(
            newAlert(index % 4 === 0 ? globex : acme, {
              provider: ['SIEM', 'DLP', 'nobody'][index % 3] ?? '',
            }),
          ),
        ),
      )
      const ids = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.id] : []))
      const expected = [
        ...Array.from({ length: 30 }, (_, index) => [`Acme-SIEM-${index + 1}`, `Acme-DLP-${index + 1}`]),
        ...Array.from({ length: 10 }, (_, index) => [`Globex-SIEM-${index + 1}`, `Globex-DLP-${index + 1}`]),
      ].flat()
      expect(ids).to.have.members(expected)
      expect(outcomes.filter(({ status }) => status === 'rejected')).to.have.length(40)
    })

    it('assigns sequence numbers in call order', async () => {
      const { stores, acme } = subject()
      const alerts = await Promise.all(Array.from({ length: 50 }, () => stores.alerts.create(newAlert(acme))))
      expect(alerts.map(({ id }) => id)).to.deep.equal(alerts.map((_, index) => `Acme-SIEM-${index + 1}`))
    })

    it('refuses an unknown organization or provider', async () => {
      const { stores, acme } = subject()
      const stranger = stores.alerts.create(newAlert({ ...acme, uuid: unknownUuid }))
      await expectRejection(stranger, 'NotFoundError', 'organization_not_found')
      const unheard = stores.alerts.create(newAlert(acme, { provider: 'nobody' }))
      await expectRejection(unheard, 'NotFoundError', 'provider_not_found')
    })

    it('finds by id in any letter case and by uuid in any letter case', async () => {
      const { stores, acme } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      for (const name of ['ACME-SIEM-1', 'acme-siem-1', alert.uuid, alert.uuid.toUpperCase()]) {
        expect((await stores.alerts.find([acme.uuid], name))?.uuid, name).to.equal(alert.uuid)
      }
    })

    it('finds no other spelling and no alert of another organization', async () => {
      const { stores, acme, globex } = subject()
      const alert = await stores.alerts.create(newAlert(acme))
      for (const name of [
        'Acme-SIEM-01',
        'Acme-SIEM-2',
        'Acme-SIEM',
        'Acme-SIEM-1 ',
        'Acme-SIEM-1e0',
        '',
        '%',
      ]) {
        expect(await stores.alerts.find('all', name), name).to.equal(undefined)
      }
      for (const scope of [[], [globex.uuid]]) {
        expect(await stores.alerts.find(scope, alert.id)).to.equal(undefined)
        expect(await stores.alerts.find(scope, alert.uuid)).to.equal(undefined)
      }
    })

    it('stores hostile content unchanged', async () => {
      const { stores, acme } = subject()
      const contents = {
        nul: 'before\u0000after',
        'byte order mark and noncharacters': '\ufeff\uffff\ufffd',
        astral: '🔔'.repeat(10),
        'decomposed accents': 'e\u0301 is not \u00e9',
        quotes: `'; DROP TABLE alerts; -- "\\`,
        'duplicate keys and big integers': '{"id":12345678901234567890,"id":1e400,"__proto__":{}}',
        'line ends': 'a\r\nb\rc\u2028d',
        empty: '',
        'a megabyte': 'ü'.repeat(512 * 1024),
      }
      for (const [name, content] of Object.entries(contents)) {
        const { uuid } = await stores.alerts.create(newAlert(acme, { content }))
        const stored = await stores.alerts.find('all', uuid)
        expect(stored?.content === content, name).to.equal(true)
      }
    })

    it('refuses an unpaired surrogate instead of replacing it', async () => {
      const { stores, acme } = subject()
      for (const changes of [{ type: 'a\ud800' }, { content: 'a\udc00b' }]) {
        const create = stores.alerts.create(newAlert(acme, changes))
        await expectRejection(create, 'ValidationError', 'not_well_formed')
      }
      expect((await stores.alerts.create(newAlert(acme))).id, 'no gap').to.match(/-1$/)
    })

    it('keeps every int64 of the source exactly', async () => {
      const { stores, acme } = subject()
      for (const value of [0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
        const { uuid } = await stores.alerts.create(newAlert(acme, { createdAtSource: value }))
        expect((await stores.alerts.find('all', uuid))?.createdAtSource).to.equal(value)
      }
      const tooBig = stores.alerts.create(newAlert(acme, { createdAtSource: 2n ** 63n }))
      await expectRejection(tooBig, 'ValidationError', 'out_of_range')
    })

    it('lists alerts that match all filters, ignoring the case of codes', async () => {
      const subjects = subject()
      const { stores, acme, globex } = subjects
      await stores.providers.create({ code: 'DLP', name: 'x' }, somebody())
      const first = await stores.alerts.create(newAlert(acme))
      await stores.alerts.create(newAlert(acme, { provider: 'DLP', type: 'leak' }))
      await stores.alerts.create(newAlert(globex, { type: null }))
      const { caseId } = await startedRun(subjects, first)
      const ids = async (filter: Parameters<typeof stores.alerts.list>[1]) => {
        const page = await stores.alerts.list('all', filter, { limit: 10 })
        expect(page.total).to.equal(page.data.length)
        return page.data.map(({ id }) => id)
      }
      expect(await ids({})).to.deep.equal(['Globex-SIEM-1', 'Acme-DLP-1', 'Acme-SIEM-1'])
      expect(await ids({ organization: 'ACME' })).to.deep.equal(['Acme-DLP-1', 'Acme-SIEM-1'])
      expect(await ids({ provider: 'siem' })).to.deep.equal(['Globex-SIEM-1', 'Acme-SIEM-1'])
      expect(await ids({ type: 'leak' })).to.deep.equal(['Acme-DLP-1'])
      expect(await ids({ status: alertStatus.inProgress })).to.deep.equal(['Acme-SIEM-1'])
      expect(await ids({ caseId: caseId?.toUpperCase() })).to.deep.equal(['Acme-SIEM-1'])
      expect(await ids({ organization: 'acme', provider: 'dlp', status: 0, type: 'leak' })).to.have.length(1)
      for (const nothing of [
        { organization: 'nobody' },
        { provider: 'x' },
        { caseId: 'nonsense' },
        { type: "' OR 1" },
      ]) {
        expect(await ids(nothing)).to.deep.equal([])
      }
    })

    it('lists nothing of another organization, whatever the filter', async () => {
      const { stores, acme, globex } = subject()
      await stores.alerts.create(newAlert(acme))
      const page = await stores.alerts.list([globex.uuid], { organization: 'Acme' }, { limit: 10 })
      expect(page).to.deep.equal({ data: [], nextCursor: null, total: 0 })
      expect((await stores.alerts.list([], {}, { limit: 10 })).total).to.equal(0)
    })

    it('lists without content, or with as much as a page may hold', async () => {
      const { stores, acme } = subject()
      const content = 'ü'.repeat(512 * 1024)
      for (let count = 0; count < 6; count++) await stores.alerts.create(newAlert(acme, { content }))
      const plain = await stores.alerts.list('all', {}, { limit: 10 })
      expect(plain.data.map((alert) => 'content' in alert)).to.deep.equal(
        Array.from({ length: 6 }, () => false),
      )
      const first = await stores.alerts.list('all', {}, { limit: 10, contentBytes: 4 * 1_048_576 })
      expect(first.data.map(({ id }) => id)).to.deep.equal([6, 5, 4, 3].map((n) => `Acme-SIEM-${n}`))
      expect(first.data.every((alert) => alert.content === content)).to.equal(true)
      const cursor = first.nextCursor ?? ''
      const second = await stores.alerts.list('all', {}, { limit: 10, contentBytes: 4 * 1_048_576, cursor })
      expect(second.data.map(({ id }) => id)).to.deep.equal(['Acme-SIEM-2', 'Acme-SIEM-1'])
      expect([second.total, second.nextCursor]).to.deep.equal([6, null])
    })

    it('lists with a content preview for small and large content', async () => {
      const { stores, acme } = subject()
      const contents = ['{\n  "user": "kim"\n}\n', '', '\0 hidden', `<b>${'ü '.repeat(500_000)}`]
      for (const content of contents) await stores.alerts.create(newAlert(acme, { content }))
      const { data } = await stores.alerts.list(
        'all',
        {},
        { limit: 10, hasPreviews: true, sort: 'created_at' },
      )
      expect(data.map(({ contentPreview: preview }) => preview)).to.deep.equal([
        '{ "user": "kim" }',
        '',
        '\0 hidden',
        `<b>${'ü '.repeat(99)}`.slice(0, 200),
      ])
      expect(data.some((alert) => 'content' in alert)).to.equal(false)
    })

    it('lists where the content of a found alert matches', async () => {
      const { stores, acme } = subject()
      const contents = [
        '{"user":{"mail":"kim@acme.test"},"note":"none"}',
        `{"user":"kim@acme.test","filler":"${'x'.repeat(40_000)}"}`,
      ]
      for (const content of contents) await stores.alerts.create(newAlert(acme, { content }))
      const page = { limit: 10, hasPreviews: true, sort: 'created_at' } as const
      const { data } = await stores.alerts.list('all', { words: 'Kim' }, page)
      expect(data.map(({ contentMatch }) => contentMatch)).to.deep.equal([
        { path: 'user.mail', text: 'kim@acme.test', marks: [[0, 3]] },
        undefined,
      ])
      expect(data.every(({ contentPreview }) => contentPreview !== undefined)).to.equal(true)
      const { data: whole } = await stores.alerts.list('all', {}, page)
      expect(whole.some((alert) => 'contentMatch' in alert)).to.equal(false)
    })

    it('returns an alert larger than a page on a page of its own', async () => {
      const { stores, acme } = subject()
      for (const size of [5, 1, 5])
        await stores.alerts.create(newAlert(acme, { content: 'x'.repeat(size * 1_048_576) }))
      const sizes: number[][] = []
      let cursor: string | undefined
      do {
        const page = await stores.alerts.list('all', {}, { limit: 10, contentBytes: 4 * 1_048_576, cursor })
        sizes.push(page.data.map(({ content = '' }) => content.length / 1_048_576))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      expect(sizes).to.deep.equal([[5], [1], [5]])
    })

    it('finds words in id, type and content, in any order and letter case', async () => {
      const { stores, acme, globex } = subject()
      const contents = [
        '{"user":"Kim","from":"198.51.100.23","note":"Zürich"}',
        'the address 198.51.100.230 and 23.198.51.100; kimberly',
        `${'x '.repeat(32_768)} beyond`,
        'a surrogate and a " quote',
      ]
      for (const content of contents) await stores.alerts.create(newAlert(acme, { content }))
      await stores.alerts.create(newAlert(globex, { content: 'kim', type: 'Data leak' }))
      const found = async (words: string, scope: OrganizationScope = 'all') => {
        const page = await stores.alerts.list(scope, { words }, { limit: 10 })
        expect(page.total).to.equal(page.data.length)
        return page.data.map(({ id }) => id).toReversed()
      }
      expect(await found('KIM')).to.deep.equal(['Acme-SIEM-1', 'Globex-SIEM-1'])
      expect(await found('kim', [acme.uuid])).to.deep.equal(['Acme-SIEM-1'])
      expect(await found('198.51.100.23')).to.deep.equal(['Acme-SIEM-1'])
      expect(await found('kim*  198.51.100')).to.deep.equal(['Acme-SIEM-1', 'Acme-SIEM-2'])
      expect(await found('zürich user')).to.deep.equal(['Acme-SIEM-1'])
      expect(await found('leak')).to.deep.equal(['Globex-SIEM-1'])
      expect(await found('acme-siem-4')).to.deep.equal(['Acme-SIEM-4'])
      expect(await found('surrogate')).to.deep.equal(['Acme-SIEM-4'])
      expect(await found('beyond'), 'further than is searched').to.deep.equal([])
      for (const hostile of [
        '"',
        'a" OR "b',
        'text:kim',
        'NEAR(kim user)',
        'kim OR leak',
        '(',
        '*',
        '-',
        '\0',
        '\ud800',
        'x '.repeat(5000),
      ]) {
        expect(await found(hostile), hostile.slice(0, 20)).to.be.an('array')
      }
      expect(await found('kim OR leak'), 'no operators').to.deep.equal([])
      expect(await found('text:kim')).to.deep.equal([])
    })

    it('lists alerts stored in a time range, with inclusive start and exclusive end', async () => {
      const { stores, acme, clock } = subject()
      const start = clock.nowMs
      for (let count = 0; count < 3; count++) {
        clock.nowMs = start + count * 10
        await stores.alerts.create(newAlert(acme))
      }
      const ids = async (createdAfter?: number, createdBefore?: number) =>
        (await stores.alerts.list('all', { createdAfter, createdBefore }, { limit: 10 })).data.map(({ id }) =>
          id.at(-1),
        )
      expect(await ids(start + 10)).to.deep.equal(['3', '2'])
      expect(await ids(start + 11)).to.deep.equal(['3'])
      expect(await ids(undefined, start + 10)).to.deep.equal(['1'])
      expect(await ids(start + 10, start + 20)).to.deep.equal(['2'])
      expect(await ids(start + 20, start)).to.deep.equal([])
    })

    it('sorts rows with the same value by age across pages', async () => {
      const subjects = subject()
      const { stores, acme, clock } = subjects
      const alerts: Alert[] = []
      for (let count = 0; count < 5; count++) alerts.push(await stores.alerts.create(newAlert(acme)))
      clock.nowMs += 10
      for (const index of [3, 1]) await queuedRun(subjects, alerts[index] as Alert)
      const sorted = async (sort: AlertSort) => {
        const ids: (string | undefined)[] = []
        let cursor: string | undefined
        do {
          const page = await stores.alerts.list([acme.uuid], {}, { limit: 2, sort, cursor })
          ids.push(...page.data.map(({ id }) => id.at(-1)))
          cursor = page.nextCursor ?? undefined
        } while (cursor !== undefined)
        return ids.join('')
      }
      expect(await sorted('created_at')).to.equal('12345')
      expect(await sorted('-created_at')).to.equal('54321')
      for (const name of ['modified_at', 'investigation_status'] as const) {
        expect(await sorted(name), name).to.equal('13524')
        expect(await sorted(`-${name}`), name).to.equal('42531')
      }
    })

    it('refuses a cursor of another sort order', async () => {
      const { stores, acme } = subject()
      for (let count = 0; count < 3; count++) await stores.alerts.create(newAlert(acme))
      for (const sort of alertSorts) {
        const { nextCursor } = await stores.alerts.list('all', {}, { limit: 1, sort })
        for (const other of alertSorts) {
          const next = stores.alerts.list('all', {}, { limit: 1, sort: other, cursor: nextCursor ?? '' })
          if (other === sort) expect((await next).data).to.have.length(1)
          else await expectRejection(next, 'ValidationError', 'invalid_cursor')
        }
      }
    })

    it('limits a batch of alerts to investigate by memory', async () => {
      const { stores, acme } = subject()
      const content = 'x'.repeat(1_048_576)
      await Promise.all(Array.from({ length: 20 }, () => stores.alerts.create(newAlert(acme, { content }))))
      expect(await stores.alerts.awaitingInvestigation(200)).to.have.length(16)
    })

    it('creates an alert once per idempotency key and API key, also for concurrent requests', async () => {
      const { stores, acme, clock } = subject()
      const once = { key: 'abc', keepMs: 1000 }
      const all = await Promise.all(
        Array.from({ length: 20 }, () => stores.alerts.createOnce(newAlert(acme), once)),
      )
      expect(new Set(all.map(({ alert }) => alert.uuid)).size).to.equal(1)
      expect(all.filter(({ replayed }) => !replayed)).to.have.length(1)
      const another = stores.alerts.createOnce(newAlert(acme, { content: 'x' }), once)
      await expectRejection(another, 'ConflictError', 'idempotency_key_reused')
      const byAnother = newAlert(acme, { createdBy: crypto.randomUUID() })
      expect((await stores.alerts.createOnce(byAnother, once)).alert.id).to.equal('Acme-SIEM-2')
      clock.nowMs += 1000
      expect((await stores.alerts.createOnce(newAlert(acme, { content: 'x' }), once)).replayed).to.equal(
        false,
      )
    })

    it('keeps no idempotency key for an alert that could not be created', async () => {
      const { stores, acme } = subject()
      const once = { key: 'abc', keepMs: 1000 }
      const stray = stores.alerts.createOnce(newAlert(acme, { provider: 'nobody' }), once)
      await expectRejection(stray, 'NotFoundError', 'provider_not_found')
      expect((await stores.alerts.createOnce(newAlert(acme), once)).replayed).to.equal(false)
    })

    it('lists alerts that wait for an investigation, oldest first', async () => {
      const subjects = subject()
      const { stores, acme } = subjects
      const [one] = await Promise.all([
        stores.alerts.create(newAlert(acme)),
        stores.alerts.create(newAlert(acme, { type: null })),
        stores.alerts.create(newAlert(acme)),
        stores.alerts.create(newAlert(acme)),
      ])
      const waiting = async (limit: number) =>
        (await stores.alerts.awaitingInvestigation(limit)).map(({ id }) => id)
      expect(await waiting(2)).to.deep.equal(['Acme-SIEM-1', 'Acme-SIEM-3'])
      const [next] = await stores.alerts.awaitingInvestigation(10, one.uuid)
      expect(next?.id).to.equal('Acme-SIEM-3')
      const run = await queuedRun(subjects, one)
      expect(await waiting(10)).to.deep.equal(['Acme-SIEM-3', 'Acme-SIEM-4'])
      await stores.runs.start(run.uuid, { title: 'x' })
      await stores.runs.end(run.uuid, completed)
      expect(await waiting(10)).to.deep.equal(['Acme-SIEM-3', 'Acme-SIEM-4'])
    })

    it('counts recoveries of an alert at startup', async () => {
      const { stores, acme } = subject()
      const one = await stores.alerts.create(newAlert(acme))
      const two = await stores.alerts.create(newAlert(acme))
      await stores.alerts.noteTakeUp([one.uuid, two.uuid])
      await stores.alerts.noteTakeUp([two.uuid])
      const counts = (await stores.alerts.awaitingInvestigation(10)).map(({ id, recoveryAttempts }) => [
        id,
        recoveryAttempts,
      ])
      expect(counts).to.deep.equal([
        [one.id, 1],
        [two.id, 2],
      ])
    })
  })
}
