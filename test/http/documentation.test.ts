import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import { routes } from '../../server/http/routing/routes.ts'
import {
  coreCodes,
  errorClasses,
  internalError,
  requestErrors,
} from '../../server/http/routing/status-table.ts'
import { acceptedSignIns, storeState } from './support/things.ts'
import { startApi, type Api } from './support/api.ts'
import { readCurl } from './support/curl.ts'
import { expectFits } from './support/schemas.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { somebody } from '../support/somebody.ts'

const text = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8')
const blocks = [...text.matchAll(/```(\w+)\n(.*?)```/gs)].map(([, language = '', code = '']) => ({
  language,
  code,
}))

/** The rows of the table of errors: code and status. */
const errorRows = [...text.matchAll(/^\| ((?:`\w+`(?:, )?)+) +\| (\d{3}) +\|/gm)].flatMap(
  ([, codes = '', status = '']) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code = '']) => [code, Number(status)] as const),
)

/** The shape of a value: names and types without values. Null matches anything. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape)
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]))
}

const webhookPlaybook = parsePlaybook(
  'apiVersion: tocsin/v1\nname: deployed\non: { webhook: {} }\nsteps: [{ return: 1 }]',
).playbook!

describe('docs/api.md', () => {
  let api: Api

  before(async () => {
    api = await startApi()
    api.signIn = acceptedSignIns('')
    api.playbooks.push(webhookPlaybook)
    // Objects created at a first start.
    await api.stores.organizations.create({ code: 'main', name: 'Main organization' }, somebody())
    await api.stores.providers.create({ code: 'splunk', name: 'Splunk' }, somebody())
    const { uuid = '' } =
      (await api.stores.organizations.list('all')).find(({ code }) => code === 'main') ?? {}
    await api.stores.connections.create(
      uuid,
      { name: 'tickets', plugin: 'tower', settings: {}, secrets: {} },
      somebody(),
    )
  })
  before(async () => {
    const { stores } = api
    const main = (await stores.organizations.list('all')).find(({ code }) => code === 'main')
    const organizationUuid = main?.uuid ?? ''
    const alert = { content: 'x', provider: 'splunk', organizationUuid, type: null, createdAtSource: null }
    await stores.alerts.create({ ...alert, createdBy: organizationUuid })
    await stores.alerts.list('all', { type: 'x' }, { limit: 1 })
    await stores.cases.create(organizationUuid, { title: 'One' }, somebody(), 'one')
    const observables = [{ kind: 'ip', value: '203.0.113.9' }] as const
    for (const { row } of await stores.observables.nextAlerts(1))
      await stores.observables.indexAlerts([{ row, observables }])
  })
  before(() => storeState(api, { code: 'main', playbook: 'hello' }))
  after(() => api.close())

  it('describes every route and no other', () => {
    const described = [...text.matchAll(/^### `(\w+ \S+)`$/gm)].map(([, operation]) => operation)
    expect(described).to.have.members(routes.map(({ method, path }) => `${method} ${path}`))
  })

  it('lists every code with its status', () => {
    const known = { ...requestErrors, ...coreCodes, internal_error: internalError }
    for (const [code, { status }] of Object.entries(known)) {
      expect(errorRows, code).to.deep.include([code, status])
    }
    const others = errorRows.filter(([code]) => !Object.hasOwn(known, code))
    const statuses = new Set<number>(Object.values(errorClasses).map(({ status }) => status))
    for (const [code, status] of others) expect(statuses.has(status), code).to.equal(true)
  })

  it('has working examples whose responses have the documented shape', async () => {
    const variables = { TOCSIN_URL: api.url, TOCSIN_KEY: api.adminKey }
    let tried = 0
    for (const [at, { language, code }] of blocks.entries()) {
      if (language !== 'sh') continue
      const next = blocks[at + 1]
      const shown = next?.language === 'json' ? (JSON.parse(next.code) as { status?: unknown }) : undefined
      const expected = typeof shown?.status === 'number' ? [shown.status] : [200, 201, 202]
      let answered: unknown
      for (const { method, url, headers, body } of readCurl(code, variables)) {
        const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
        const answerText = await answer.text()
        expect(answer.status, `${code}\n${answerText}`).to.be.oneOf(expected)
        answered = JSON.parse(answerText)
        tried++
      }
      if (shown !== undefined) expect(shape(answered)).to.deep.equal(shape(shown))
    }
    expect(tried).to.be.above(12)
  })

  it('shows a problem document that matches its schema', () => {
    const problems = blocks.filter(({ code }) => code.includes('urn:tocsin'))
    expect(problems).to.have.length(1)
    for (const { code } of problems) expectFits('error', JSON.parse(code))
  })
})
