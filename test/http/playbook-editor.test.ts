import { expect } from 'chai'
import { complete } from '../../core/editor/completion/complete.ts'
import { playbookSchema } from '../../core/playbook/language/playbook-schema.ts'
import { startApi, type Api } from './support/api.ts'
import { catalogue } from './support/catalogue.ts'
import { expectProblem } from './support/schemas.ts'
import { towerSettings } from './support/things.ts'

const head = 'apiVersion: tocsin/v1\nname: written\non: { manual: true }\nsteps:\n'

describe('playbook assistance over HTTP', () => {
  let api: Api
  before(async () => {
    api = await startApi()
    for (const [organization_code, name] of [
      ['acme', 'north'],
      ['globex', 'south'],
    ]) {
      const body = { organization_code, name, plugin: 'tower', settings: towerSettings }
      expect((await api.call('POST', '/api/connections', { body })).status).to.equal(201)
    }
  })
  after(() => api.close())

  /** `‸` marks the cursor. */
  async function ask(what: 'complete' | 'hover', marked: string, more: object = {}, key?: string) {
    const [before = '', after = ''] = marked.split('‸')
    const lines = before.split('\n')
    const place = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
    const body = { source: before + after, ...place, ...more }
    return api.call('POST', `/api/playbooks/${what}`, { body, ...(key !== undefined && { key }) })
  }
  const labels = (json: { items: { label: string }[] }) => json.items.map(({ label }) => label)

  it('completes like the language server', async () => {
    const text = `${head}  - uses: to`
    const reply = await ask('complete', `${text}‸\n`)
    expect(reply.status, reply.text).to.equal(200)
    const guide = { schema: playbookSchema, catalogue }
    const { items } = complete(`${text}\n`, text.length, guide)
    expect(items.length).to.be.greaterThan(1)
    expect(labels(reply.json)).to.deep.equal(items.map(({ label }) => label))
    expect(reply.json.items[0].documentation).to.equal(items[0]?.documentation)
    expect(reply.json.replaces).to.deep.equal({ line: 5, column: 11, end_line: 5, end_column: 13 })
  })

  it('completes connections that the key may see, or those of one given organization', async () => {
    const skill = catalogue.skills.find(({ plugin }) => plugin.name === 'tower')?.name ?? ''
    const marked = `${head}  - uses: ${skill}\n    connection: ‸\n`
    expect(labels((await ask('complete', marked)).json)).to.have.members(['north', 'south'])
    expect(labels((await ask('complete', marked, { organization_code: 'acme' })).json)).to.deep.equal([
      'north',
    ])
    const limited = await api.newKey('reader', ['globex'])
    expect(labels((await ask('complete', marked, {}, limited)).json)).to.deep.equal(['south'])
    const foreign = await ask('complete', marked, { organization_code: 'acme' }, limited)
    expectProblem(foreign, 400, 'unknown_organization')
  })

  it('completes the organizations that the key may see', async () => {
    const own = 'apiVersion: tocsin/v1\nname: written\norganization: ‸\non: { manual: true }\nsteps: []\n'
    const schedule = `${head.replace('{ manual: true }', '{ schedule: { cron: "0 8 * * *", organizations: [‸] } }')}  - return: 1\n`
    const limited = await api.newKey('reader', ['globex'])
    for (const marked of [own, schedule]) {
      expect(labels((await ask('complete', marked)).json)).to.have.members(['acme', 'globex'])
      expect(labels((await ask('complete', marked, {}, limited)).json)).to.deep.equal(['globex'])
    }
  })

  it('completes the outputs of earlier steps', async () => {
    const { json } = await ask(
      'complete',
      `${head}  - { id: a, set: { n: 1 } }\n  - return: \${{ steps.a.output.‸`,
    )
    expect(labels(json)).to.include('n')
  })

  it('explains the element at a position', async () => {
    const { json } = await ask('hover', `${head}  - id: a\n    s‸et: { n: 1 }\n`)
    expect(json.text).to.contain('`set`')
    expect(json.about).to.deep.equal({ line: 6, column: 5, end_line: 6, end_column: 8 })
    const typed = await ask(
      'hover',
      `${head}  - { id: a, set: { n: 1 } }\n  - return: \${{ steps.a.output.n‸ }}\n`,
    )
    expect(typed.json.text).to.contain('steps.a.output.n: int')
    expect((await ask('hover', `${head}‸\n`)).json).to.deep.equal({ text: null, about: null })
  })

  it('accepts any position in the text and refuses invalid ones', async () => {
    const body = { source: 'name: x', line: 99, column: 99 }
    expect((await api.call('POST', '/api/playbooks/complete', { body })).status).to.equal(200)
    expect((await api.call('POST', '/api/playbooks/hover', { body })).status).to.equal(200)
    for (const line of [0, -1, 1.5, '1']) {
      const reply = await api.call('POST', '/api/playbooks/complete', { body: { ...body, line } })
      expect(reply.status, String(line)).to.equal(400)
    }
  })
})
