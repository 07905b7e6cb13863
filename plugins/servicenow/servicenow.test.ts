import { expect } from 'chai'
import { openDeclaredPlugin } from 'tocsin/plugin/testing'

const servicenow = await openDeclaredPlugin(import.meta.dirname, {
  instance: 'example.service-now.com',
  username: 'tocsin',
  password: 'a-password',
  webhook_secret: 'a-secret-of-records',
})

const id = '9d385017c611228701d22104cc95c371'
const problem = (status: number, message: string, detail: string | null = null) => ({
  status,
  json: { error: { message, detail }, status: 'failure' },
})
const result = (json: unknown, headers = {}) => ({ json: { result: json }, headers })
const found = (state = '1') => result([{ sys_id: id, number: 'INC1', state }])
const note = { incident: 'INC1', note: 'n' }

describe('servicenow', () => {
  for (const [what, reply, kind, text] of [
    [
      'a wrong password',
      problem(401, 'User Not Authenticated'),
      'ConnectionError',
      /password may have expired/,
    ],
    [
      'a closed table',
      problem(403, 'Insufficient rights', 'Failed API level ACL Validation'),
      'ConnectionError',
      /over REST/,
    ],
    ['a missing role', problem(403, 'Operation Failed', 'ACL Exception'), 'ConnectionError', /role itil/],
    [
      'a data policy',
      problem(
        403,
        'Operation Failed',
        'Data Policy Exception: The following fields are mandatory: Resolution code',
      ),
      'SkillError',
      /Resolution code.*rule of the instance/,
    ],
    [
      'a missing product',
      problem(400, 'Invalid table sn_si_incident'),
      'SkillError',
      /Security Incident Response/,
    ],
    ['a hidden record', problem(404, 'No Record found'), 'SkillError', /may not see it/],
    [
      'an hourly limit',
      { ...problem(429, 'Rate limit exceeded'), headers: { 'retry-after': '1800' } },
      'RetryableError',
      /hourly limit/,
    ],
    [
      'a sleeping instance',
      { text: '<html>Your instance is hibernating</html>' },
      'RetryableError',
      /woken up/,
    ],
    [
      'a page of a proxy',
      { status: 502, text: '<html><h1>Bad gateway</h1>' },
      'RetryableError',
      /Bad gateway/,
    ],
  ] as const)
    it(`explains ${what}`, async () => {
      const failure = await servicenow.failureOf('add_note', note, { replies: [found(), reply] })
      expect(failure).to.include({ kind })
      expect(failure.text).to.match(text)
    })

  it('leaves the outcome open if the page of a sleeping instance answers a write', async () => {
    const failure = await servicenow.failureOf(
      'update_incident',
      { incident: 'INC1', state: '2' },
      { replies: [found(), { text: '<html>' }] },
    )
    expect(failure.effect).to.not.equal('none')
  })

  it('does not take a sleeping instance, or a user without incidents, for working', async () => {
    expect(await servicenow.checkFailureOf([{ text: '<html>' }])).to.include({ kind: 'RetryableError' })
    expect(await servicenow.check([result([])])).to.deep.include({ account: 'tocsin' })
    expect((await servicenow.check([result([])])).warning).to.match(/role itil/)
  })

  it('refuses a record other than the requested one', async () => {
    const other = result([{ sys_id: 'f'.repeat(32), number: 'INC2', state: '1' }])
    const failure = await servicenow.failureOf(
      'update_incident',
      { incident: 'INC1', state: '8' },
      { replies: [other] },
    )
    expect(failure).to.include({ kind: 'SkillError', effect: 'none' })
    expect(failure.text).to.match(/INC1 does not exist/)
    expect(
      (await servicenow.run('get_incident', { incident: 'INC1' }, { replies: [other] })).output,
    ).to.deep.equal({ found: false })
  })

  it('keeps values out of the language of queries', async () => {
    for (const text of ['a^active=false', 'javascript:gs.log(1)', ' JavaScript:x'])
      expect(
        await servicenow
          .run('search_incidents', { text }, { replies: [] })
          .catch((error: Error) => error.message),
        text,
      ).to.match(/text/)
    for (const incident of ['INC1^ORnumber=INC2', '../sys_user', ''])
      expect(
        await servicenow
          .run('get_incident', { incident }, { replies: [] })
          .catch((error: Error) => error.message),
        incident,
      ).to.match(/incident/)
    const { requests } = await servicenow.run(
      'search_incidents',
      { text: 'a=b&c', condition: 'state=2^priority=1', open_only: true },
      { replies: [result([])] },
    )
    expect(new URL(requests[0]!.url).searchParams.get('sysparm_query')).to.equal(
      'short_descriptionLIKEa=b&c^active=true^state=2^priority=1^ORDERBYDESCsys_created_on',
    )
  })

  it('reads many incidents up to the limit, and reports that access rules hide some', async () => {
    const page = (from: number, count: number) =>
      result(
        Array.from({ length: count }, (_, at) => ({
          sys_id: `s${from + at}`,
          number: `INC${from + at}`,
          state: '99',
          priority: null,
        })),
        { 'x-total-count': '10000' },
      )
    const { output, requests } = await servicenow.run(
      'search_incidents',
      { limit: 150 },
      { replies: [page(0, 100), page(100, 100)] },
    )
    expect(output.incidents).to.have.length(150)
    expect(requests).to.have.length(2)
    const short = await servicenow.run('search_incidents', {}, { replies: [page(0, 3), page(0, 0)] })
    expect(short.output.incidents).to.have.length(3)
    expect(short.output.complete).to.equal(false)
  })

  it('finds an interrupted incident by its correlation ID only', async () => {
    const verify = (record: (key: string) => object | undefined) => {
      const replies = ({ url }: { url: string }) => {
        const key = new URL(url).searchParams.get('sysparm_query')!.replace('correlation_id=', '')
        return result([record(key)].filter((each) => each !== undefined))
      }
      return servicenow.run('create_incident', { short_description: 's' }, { purpose: 'verify', replies })
    }
    expect(
      (await verify((key) => ({ sys_id: id, number: 'INC1', state: '1', correlation_id: key }))).output,
    ).to.include({ number: 'INC1' })
    expect((await verify(() => ({ sys_id: id, number: 'INC7', correlation_id: '' }))).output).to.equal(
      undefined,
    )
    expect((await verify(() => undefined)).output).to.equal(undefined)
  })

  it('reports an interrupted note as written or as unknown', async () => {
    const verify = (entries: readonly object[]) =>
      servicenow.run('add_note', note, { purpose: 'verify', replies: [found(), result(entries)] })
    expect((await verify([{ value: 'x' }, { value: 'n' }])).output).to.deep.equal({ number: 'INC1' })
    expect((await verify([{ value: 'x' }])).output).to.equal(undefined)
    expect(await verify([]).catch((error: { code: string }) => error.code)).to.equal('bad_response')
  })

  it('skips a resolved incident, and reports the state that a rule sets', async () => {
    const again = await servicenow.run(
      'resolve_incident',
      { incident: id, close_notes: 'c' },
      { replies: [found('7')] },
    )
    expect(again.output).to.deep.equal({ number: 'INC1', state: '7', changed: false })
    const ruled = await servicenow.run(
      'resolve_incident',
      { incident: id, close_notes: 'c' },
      { replies: [found('2'), result({ number: 'INC1', state: '3' })] },
    )
    expect(ruled.output).to.deep.equal({ number: 'INC1', state: '3', changed: true })
    expect(ruled.requests[1]?.body).to.equal(
      '{"state":"6","close_code":"Solution provided","close_notes":"c"}',
    )
  })

  it('receives each version of a record once', () => {
    const body = JSON.stringify({ table: 'sn_si_incident', sys_id: id, sys_mod_count: '3' })
    const { alerts } = servicenow.receive('records', body, {
      headers: { 'x-tocsin-secret': 'a-secret-of-records' },
    })
    expect(alerts?.[0]).to.include({
      provider: 'servicenow',
      type: 'servicenow_sn_si_incident',
      dedupeKey: `${id} 3`,
    })
    expect(() => servicenow.receive('records', body, { headers: { 'x-tocsin-secret': '' } })).to.throw()
  })

  it('reads references that come with their link', async () => {
    const reply = result([
      {
        sys_id: id,
        number: 'INC1',
        state: '1',
        assignment_group: {
          link: 'https://example.service-now.com/api/now/table/sys_user_group/g',
          value: 'g',
        },
        caller_id: '',
      },
    ])
    const { output } = await servicenow.run('get_incident', { incident: 'INC1' }, { replies: [reply] })
    expect(output).to.include({ assignment_group: 'g' }).and.not.have.property('caller_id')
  })
})
