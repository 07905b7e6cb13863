import { expect } from 'chai'
import { valueAt } from 'tocsin/plugin'
import { loopbackEgress, runSkill, type ServedSandbox } from 'tocsin/plugin/testing'
import { queryRows } from './lists/query-rows.ts'
import sandbox, { settingsFor } from './sandbox.ts'
import { clients } from './sandbox/data/clients.ts'
import type { Controls } from './sandbox/commands.ts'
import { runAdvancedQuery } from './skills/run-advanced-query.ts'

const caught = async (work: Promise<unknown>): Promise<object> =>
  work.then(
    () => ({ code: 'none' }),
    (error: unknown) => error as object,
  )

describe('endpoint_security.run_advanced_query', () => {
  let running: ServedSandbox<Controls>
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const run = (
    input: Parameters<typeof runAdvancedQuery.run>[0],
    settings: Readonly<Record<string, unknown>> = running.settings,
  ) => runSkill(runAdvancedQuery, input, { settings, egress: loopbackEgress })

  it('sends the parameters as literals before the query', async () => {
    const name = 'x" | union DeviceLogonEvents //'
    const { output } = await run({
      query: 'DeviceProcessEvents | where FileName == name',
      parameters: { name },
    })
    expect(JSON.parse(running.requests[1]?.body ?? '')).to.deep.equal({
      Query: 'let name = "x\\" | union DeviceLogonEvents //";\nDeviceProcessEvents | where FileName == name',
    })
    expect(output).to.deep.include({ row_count: 2, truncated: false })
  })

  it('returns at most the requested rows and reports more', async () => {
    const { output } = await run({ query: 'DeviceProcessEvents', max_rows: 1 })
    expect(output.rows).to.have.length(1)
    expect(output).to.deep.include({ row_count: 2, truncated: true })
  })

  it('finds machines that contacted an indicator', async () => {
    const { output } = await run({
      query: 'DeviceNetworkEvents | where RemoteUrl has_any (names) | take 5',
      parameters: { names: ['nowhere.example', 'Login-example.com'] },
    })
    expect(output.rows).to.deep.equal([
      {
        DeviceName: 'desk-043.example.com',
        DeviceId: 'dd0c9a1b7d2e48569c0fb1a2d3e4f50617283933',
        Seen: '2026-01-12T07:59:12.4418230Z',
      },
    ])
    const byName = { query: 'DeviceInfo | take 1', parameters: { hosts: ['laptop-7'] } }
    expect((await run(byName)).output).to.deep.include({ row_count: 1 })
  })

  it('fails with the vendor’s message if the query is invalid', async () => {
    const error = await caught(run({ query: 'NoSuchTable | take 1' }))
    expect(error).to.include({ name: 'SkillError', code: 'http_400' })
    expect(valueAt(error, 'message')).to.match(/BadRequest: .*NoSuchTable/)
    expect(await caught(run({ query: 'DeviceProcessEvents | where a == "' }))).to.include({
      code: 'http_400',
    })
  })

  it('names the missing permission', async () => {
    const error = await caught(
      run({ query: 'DeviceProcessEvents' }, settingsFor(running.url, clients.reader)),
    )
    expect(valueAt(error, 'hint')).to.include('AdvancedQuery.Read.All')
  })

  for (const parameters of [
    { 'a b': 1 },
    { 'x; drop': 1 },
    { '': 1 },
    { a: null },
    { a: [[1]] },
    { a: { b: 1 } },
  ]) {
    it(`refuses the parameters ${JSON.stringify(parameters)}`, async () => {
      const given = {
        query: 'DeviceProcessEvents',
        parameters: parameters as unknown as Record<string, string>,
      }
      expect(await caught(run(given))).to.include({ code: 'value_invalid' })
      expect(running.requests).to.have.length(0)
    })
  }

  for (const json of [{}, { Results: {} }, []]) {
    it(`fails on the response ${JSON.stringify(json)}`, async () => {
      const options = { settings: running.settings, replies: [{ json }] }
      expect(await caught(runSkill(runAdvancedQuery, { query: 'x' }, options))).to.include({
        code: 'bad_response',
      })
    })
  }
})

describe('queryRows', () => {
  it('keeps at most 2 MB of rows and reports more', () => {
    const row = { text: 'x'.repeat(499_989) } // 500,000 characters of JSON
    expect(queryRows([row, row, row, row], 100)).to.deep.include({ row_count: 4, truncated: false })
    const { rows, ...told } = queryRows([row, row, row, row, { a: 1 }], 100)
    expect(rows).to.have.length(4)
    expect(told).to.deep.equal({ row_count: 5, truncated: true })
  })

  it('reports possible further rows if the vendor truncated', () => {
    const rows = Array.from({ length: 100_000 }, () => ({}))
    expect(queryRows(rows, 200_000)).to.deep.include({ row_count: 100_000, truncated: true })
    expect(queryRows(rows.slice(1), 200_000)).to.deep.include({ row_count: 99_999, truncated: false })
  })

  it('counts numbers that lose precision', () => {
    expect(queryRows([{ id: 9007199254740993n }], 1)).to.deep.include({ truncated: false })
  })
})
