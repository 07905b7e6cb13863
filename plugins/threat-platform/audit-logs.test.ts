import { expect } from 'chai'
import { objectsAt, valueAt } from 'tocsin/plugin'
import { loopbackEgress, runSkill, type ServedSandbox } from 'tocsin/plugin/testing'
import { areInRange, decodeAuditRecords } from './audit-records.ts'
import sandbox, { sandboxWith } from './sandbox.ts'
import { threatFaults } from './sandbox/faults.ts'
import { threatFixture } from './sandbox/fixture.ts'
import { fetchCompanyAuditLogs } from './skills/fetch-company-audit-logs.ts'

type Input = Parameters<typeof fetchCompanyAuditLogs.run>[0]

const recorded = objectsAt(threatFixture('audit-logs'), 'data')

describe('threat_platform.fetch_company_audit_logs', () => {
  for (const contract of ['spec', 'vendor'] as const) {
    describe(`with the contract ${contract}`, () => {
      let running: ServedSandbox
      beforeEach(async () => {
        running = await (contract === 'spec' ? sandbox : sandboxWith('vendor')).start()
      })
      afterEach(() => running.close())

      const fetch = async (input: Input, more: object = {}) =>
        (
          await runSkill(fetchCompanyAuditLogs, input, {
            settings: { ...running.settings, ...more },
            egress: loopbackEgress,
          })
        ).output

      it('returns the records unchanged', async () => {
        expect(await fetch({})).to.deep.equal({
          records: recorded,
          counts: { returned: 3, total: null },
          partial: true,
          in_range: null,
        })
        const path = contract === 'spec' ? '/api/v1/auditlogs' : '/api/company/330/auditlogs'
        expect(running.requests[0]?.path).to.equal(`${path}?page=1&limit=100`)
      })

      it('requests days, page and number', async () => {
        const input = { start_date: '2026-01-10', end_date: '2026-01-11', page: 2, limit: 1 }
        expect(await fetch(input)).to.deep.equal({
          records: [recorded[2]],
          counts: { returned: 1, total: null },
          partial: true,
          in_range: true,
        })
        expect(await fetch({ ...input, page: 3 })).to.deep.include({ records: [], partial: false })
      })

      it('reports if the platform ignores the days', async () => {
        running.failNext({ json: { data: recorded } })
        const day = { start_date: '2026-01-11', end_date: '2026-01-11' }
        expect(await fetch(day)).to.deep.include({ in_range: false, counts: { returned: 3, total: null } })
      })

      it('uses the path of the connection', async () => {
        running.failNext({ json: [{ any: 'thing' }] })
        await fetch({}, { audit_logs_path: '/other/{company_id}/audit' })
        expect(running.requests[0]?.path).to.match(/^\/other\/330\/audit\?/)
      })

      it('fails on a missing path with a hint', async () => {
        const error: unknown = await fetch({}, { audit_logs_path: '/nowhere' }).catch(
          (reason: unknown) => reason,
        )
        expect(valueAt(error, 'code')).to.equal('http_404')
        expect(valueAt(error, 'hint')).to.include('audit_logs_path')
      })

      it('fails on an error with status 200 and on a body that is not JSON', async () => {
        for (const [fault, code] of [
          [threatFaults.refusedWith200, 'http_401'],
          [threatFaults.signInPage, 'bad_response'],
        ] as const) {
          running.failNext(fault)
          const error: unknown = await fetch({}).catch((reason: unknown) => reason)
          expect(valueAt(error, 'code')).to.equal(code)
        }
      })
    })
  }

  it('reads until an empty page if the platform returns short pages and no total', async () => {
    const all = Array.from({ length: 250 }, (_, n) => ({ n }))
    const read: unknown[] = []
    for (let page = 1, more = true; more; page++) {
      const { output } = await runSkill(
        fetchCompanyAuditLogs,
        { limit: 1000, page },
        {
          settings: { company_id: '330', api_token: 'a-token', base_url: 'https://threat.example.com' },
          replies: [{ json: all.slice((page - 1) * 100, page * 100) }],
        },
      )
      read.push(...output.records)
      more = output.partial
    }
    expect(read).to.deep.equal(all)
  })

  const pages: readonly (readonly [page: number, limit: number, returned: number, total: number, boolean])[] =
    [
      [1, 1000, 100, 230, true],
      [2, 1000, 100, 230, true],
      [2, 1000, 100, 1050, true],
      [3, 100, 30, 230, false],
      [1, 1000, 230, 230, false],
      [7, 100, 0, 230, false],
      [1, 100, 0, 230, true],
    ]
  for (const [page, limit, returned, total, partial] of pages) {
    it(`is ${partial ? 'partial' : 'complete'} after page ${page} with ${returned} of ${limit} records and a total of ${total}`, async () => {
      const { output } = await runSkill(
        fetchCompanyAuditLogs,
        { page, limit },
        {
          settings: { company_id: '330', api_token: 'a-token', base_url: 'https://threat.example.com' },
          replies: [{ json: { records: Array.from({ length: returned }, () => ({})), total } }],
        },
      )
      expect(output.partial).to.equal(partial)
    })
  }

  const time = (text: string) => ({ start_date: text }) as Input
  for (const text of ['12.01.2026', '2026-01-12T08:00:00Z', '2026-02-30']) {
    it(`refuses '${text}' as a day`, async () => {
      const settings = { company_id: '330', api_token: 'a-token', base_url: 'https://threat.example.com' }
      const error: unknown = await runSkill(fetchCompanyAuditLogs, time(text), { settings }).catch(
        (reason: unknown) => reason,
      )
      expect(valueAt(error, 'code')).to.equal('value_invalid')
    })
  }
})

describe('decodeAuditRecords', () => {
  const record = { constructor: 'a name', n: 1 }
  for (const body of [
    [record],
    { data: [record] },
    { records: [record] },
    { logs: [record] },
    { is_success: true, data: { records: [record] } },
    { success: true, data: { auditlogs: [record] } },
  ]) {
    it(`finds the list in ${JSON.stringify(body).slice(0, 60)}`, () => {
      expect(decodeAuditRecords(body)).to.deep.equal({ records: [record], total: null })
    })
  }

  it('reads the total', () => {
    expect(decodeAuditRecords({ data: { records: [], total_records: 7 } }).total).to.equal(7)
    expect(decodeAuditRecords({ records: [], total: 8 }).total).to.equal(8)
  })

  it('keeps records that are not objects', () => {
    expect(decodeAuditRecords({ data: ['a line', null] }).records).to.deep.equal(['a line', null])
  })

  for (const body of [null, {}, { data: {} }, { data: 'text' }, 7]) {
    it(`refuses ${JSON.stringify(body)}`, () => {
      expect(() => decodeAuditRecords(body)).to.throw(/no list of audit logs/)
    })
  }
})

describe('areInRange', () => {
  const a = { timestamp: '2026-01-11T08:00:00Z' }
  const b = { created_at: '2026-01-12 08:00:00' }
  for (const [records, start, end, answer] of [
    [[a, b], '2026-01-11', '2026-01-12', true],
    [[], '2026-01-11', undefined, true],
    [[a, b], '2026-01-12', undefined, false],
    [[a, b], undefined, '2026-01-11', false],
    [[{ action: 'login' }, b], undefined, '2026-01-11', false],
    [[{ action: 'login' }, a], undefined, '2026-01-11', null],
    [[{ timestamp: 'soon' }, 'a line', null], '2026-01-11', undefined, null],
    [[a, b], undefined, undefined, null],
  ] as const) {
    it(`returns ${answer} for ${JSON.stringify(records)} from ${start ?? 'ever'} to ${end ?? 'ever'}`, () => {
      expect(areInRange(records, start, end)).to.equal(answer)
    })
  }
})
