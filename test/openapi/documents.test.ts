import { expect } from 'chai'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { declaredSandbox, exampleProblems } from '../../core/declarative/index.ts'
import { describePlugin } from '../../core/plugin/testing/index.ts'
import { checkPlugin } from '../../core/registry/check-plugin.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { generated, loadFrom } from './support.ts'

const fixtures = join(import.meta.dirname, 'fixtures')
const documents = readdirSync(fixtures).filter((name) => !name.endsWith('.md'))
const read = (name: string) => readFileSync(join(fixtures, name), 'utf8')

describe('a plugin from a public OpenAPI document', function () {
  for (const name of documents) {
    it(`loads without problems, and its examples run: ${name}`, async () => {
      const made = generated(read(name))
      expect(made.problems).to.deep.equal([])
      const folder = await makeTemporaryFolder()
      try {
        const { definition, declared } = loadFrom(folder.path, made)
        expect(checkPlugin(definition, undefined)).to.deep.equal([])
        expect(declared!.skills.length).to.be.at.least(3)
        expect(await exampleProblems(declared!)).to.deep.equal([])
        for (const skill of declared!.skills) expect(made.readme).to.include(`example.${skill.name}`)
      } finally {
        await folder.remove()
      }
    })
  }

  it('declares the credentials of each', () => {
    const auths = Object.fromEntries(
      documents.map((name) => [name, generated(read(name)).plugin.connection['auth']]),
    )
    expect(auths).to.deep.equal({
      'datadog.yaml': { header: 'DD-API-KEY', value: '${{ settings.api_key }}' },
      'elasticsearch.json': undefined,
      'github.json': { bearer: '${{ settings.token }}' },
      'jira.json': { basic: { username: '${{ settings.username }}', password: '${{ settings.password }}' } },
      'okta.yaml': { header: 'Authorization', value: 'SSWS ${{ settings.api_key }}' },
      'slack.json': { bearer: '${{ settings.token }}' },
    })
  })

  it('finds a request that tests the credentials', () => {
    const checks = Object.fromEntries(
      documents.map((name) => [name, generated(read(name)).plugin.connection['check'].get]),
    )
    expect(checks).to.include({
      'datadog.yaml': '/api/v1/validate',
      'github.json': '/user',
      'jira.json': '/rest/api/3/myself',
      'slack.json': '/auth.test',
    })
  })

  it('reads lists page after page if the document is clear', () => {
    const kinds = documents.flatMap((name) =>
      generated(read(name)).plugin.skills.flatMap(({ name: skill, paging }) =>
        paging === undefined ? [] : [`${name} ${skill}: ${Object.keys(paging)[0]}`],
      ),
    )
    expect(kinds).to.deep.equal([
      'elasticsearch.json ml_get_calendar_events: offset',
      'github.json issues_list_for_repo: link',
      'jira.json get_comments: offset',
    ])
  })

  it('names the operations for which a document does not say how', () => {
    expect(generated(read('okta.yaml'), 'listUsers').readme).to.include(
      '`list_users`: The list seems to come in pages (`after`), but the document does not say how: declare `paging`.',
    )
  })
})

// The contract of every plugin, tested for one of them because it takes seconds.
describe('the contract', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-openapi-'))
  const path = join(folder, 'example')
  const made = generated(read('github.json'), 'issues/list-for-repo,issues/create')
  const { definition, declared } = loadFrom(path, made)
  describePlugin(definition!, { folder: path, sandbox: declaredSandbox(declared!)! })
  after(() => rmSync(folder, { recursive: true }))
})
