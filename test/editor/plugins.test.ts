import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pluginGuide } from '../../cli/lsp/playbook-documents.ts'
import { pluginGrammar } from '../../core/declarative/index.ts'
import { outlineOf } from '../../core/editor/assist/outline.ts'
import { quickFixes } from '../../core/editor/assist/quick-fixes.ts'
import { complete } from '../../core/editor/completion/complete.ts'
import { hover } from '../../core/editor/hover.ts'
import { inspectPlugin } from '../../core/editor/inspection.ts'
import { badPlaybooks } from '../playbook/bad-playbooks.ts'
import { pluginWith } from '../declarative/support.ts'
import { offsetIn } from './support/guide.ts'

const shipped = readFileSync(join(import.meta.dirname, '../../plugins/greynoise/plugin.yaml'), 'utf8')
const fields = 'fields: { api_key: { secret: true }, plan: { enum: [free, paid], default: free } }'

function offered(marked: string): readonly string[] {
  const { text, offset } = offsetIn(marked)
  return complete(text, offset, pluginGuide).items.map(({ label }) => label)
}
const inConnection = (text: string) => offered(pluginWith({ connection: `${fields}\n${text}` }))
const inSkill = (skill: string) => offered(pluginWith({ skill }))

function over(marked: string) {
  const { text, offset } = offsetIn(marked)
  return hover(inspectPlugin(text, {}), offset, pluginGuide)?.text
}

describe('completion in plugin.yaml', () => {
  it('offers the missing keys of a place', () => {
    expect(offered('apiVersion: tocsin/v1\nplugin: example\n‸')).to.have.members(
      pluginGrammar.plugin.keys.filter((key) => !['apiVersion', 'plugin'].includes(key)),
    )
    expect(inConnection('auth: { oauth2: { ‸ } }')).to.have.members([...pluginGrammar.oauth2.keys])
    expect(inSkill('paging:\n  ‸')).to.have.members([...pluginGrammar.paging.keys])
    expect(inSkill('output: { name: { ‸ } }')).to.have.members([...pluginGrammar.outputField.keys])
  })

  it('offers only one key of a choice', () => {
    const methods = ['head', 'post', 'put', 'patch', 'delete']
    expect(inSkill('request: { ‸ }')).to.include.members(['get', ...methods])
    expect(inSkill('request: { get: /it, ‸ }')).to.include('query').and.not.include.members(methods)
    expect(inConnection('auth: { header: key, ‸ }')).to.deep.equal(['value'])
  })

  it('does not call the keys of a choice required', () => {
    const { text, offset } = offsetIn(pluginWith({ skill: 'request: { ‸ }' }))
    const { items } = complete(text, offset, pluginGuide)
    expect(items.filter(({ detail }) => detail?.includes('required'))).to.deep.equal([])
  })

  it('offers the values of a key', () => {
    expect(inSkill('effect: ‸')).to.have.members(['read', 'write'])
    expect(inSkill('enriches: [‸]')).to.include.members(['ip', 'domain'])
    expect(inSkill('input: { limit: { type: ‸ } }')).to.include.members(['integer', 'array'])
    expect(inConnection('auth: { oauth2: { grant: ‸ } }')).to.have.members([
      'authorization_code',
      'client_credentials',
      'jwt_bearer',
    ])
  })

  it('offers the names that an expression of the place can read', () => {
    const names = (labels: readonly string[]) =>
      labels.filter((label) => ['settings', 'input', 'response', 'items', 'request'].includes(label))
    expect(names(inConnection('headers: { x: "${{ ‸ }}" }'))).to.deep.equal(['settings'])
    expect(names(inSkill('request: { get: [v1, "${{ ‸ }}"] }'))).to.have.members(['settings', 'input'])
    expect(names(inSkill('output: { a: "${{ ‸ }}" }'))).to.have.members(['settings', 'input', 'response'])
  })

  it('offers fields, and the values of a comparison', () => {
    expect(inConnection('auth: { bearer: "${{ settings.‸ }}" }')).to.include.members(['api_key', 'plan'])
    expect(inSkill('input: { ip: {} }\noutput: { a: "${{ input.‸')).to.include('ip')
    expect(inSkill('output: { a: "${{ response.‸ }}" }')).to.include.members(['status', 'headers', 'body'])
    expect(inConnection('rate: "${{ settings.plan == \'‸\' ? 1 : 2 }}"')).to.deep.equal(['free', 'paid'])
  })

  it('completes conditions without braces', () => {
    const place = 'request: { get: /a }, until: response.status == 200'
    const marked = pluginWith({ skill: `poll: { ${place}, failed: response.st‸ }` })
    const { text, offset } = offsetIn(marked.replace('failed', '\n      failed'))
    const { items, replaces } = complete(text, offset, pluginGuide)
    expect(items.map(({ label }) => label)).to.include('status')
    expect(text.slice(replaces.start, replaces.end)).to.equal('st')
  })
})

describe('hover in plugin.yaml', () => {
  it('explains keys by the table of keys', () => {
    expect(over(pluginWith({ skill: 'not_f‸ound: 404' }))).to.include('the object does not exist')
    expect(over(pluginWith({ connection: 'au‸th: { bearer: a }' }))).to.include('The credentials')
  })

  it('shows the type of each part of an expression', () => {
    const at = (expression: string) =>
      over(pluginWith({ skill: `input: { ip: {} }\noutput: { a: "\${{ ${expression} }}" }` }))
    expect(at('inp‸ut.ip')).to.equal('```cel\ninput: {\n  ip: string\n}\n```')
    expect(at('response.sta‸tus')).to.equal('```cel\nresponse.status: integer\n```')
  })
})

describe('plugin.yaml in an editor', () => {
  it('has the problems of loading, with warnings', () => {
    const codes = (text: string) =>
      inspectPlugin(text, {}).problems.map(({ code, severity }) => `${code} ${severity}`)
    const text = pluginWith({ skill: 'output: { a: "${{ response.body.a }}" }\nefect: read' })
    expect(codes(text)).to.have.members(['W802 warning', 'W801 warning', 'E104 error'])
    expect(codes(shipped)).to.deep.equal([])
  })

  it('has quick fixes', () => {
    const text = pluginWith({ skill: 'efect: read' })
    const check = (changed: string) => inspectPlugin(changed, {}).problems
    const problem = check(text).find(({ code }) => code === 'E104')!
    const start = text.indexOf('efect')
    const [fix] = quickFixes(text, problem, { start, end: start + 'efect'.length }, check)
    expect(fix?.text).to.match(/^effect/)
  })

  it('has an outline of its skills', () => {
    const [skills] = outlineOf(inspectPlugin(shipped, {}).root)
    expect(skills?.children.map(({ name, kind }) => `${kind} ${name}`)).to.include('skill get_ip')
  })

  // The mistakes from docs/problems.md, cut at every eighth line, at different lines in each text.
  it('reads, completes and explains unfinished files', () => {
    const broken = Object.values(badPlaybooks).flatMap(({ isPlugin, source }) =>
      isPlugin ? [String(source)] : [],
    )
    expect(broken.length).to.be.greaterThan(5)
    for (const [first, text] of [...broken, shipped].entries()) {
      const ends = [...text.matchAll(/\n/g)]
        .map(({ index }) => index)
        .filter((_, line) => line % 8 === first % 8)
      for (const end of ends) {
        const part = text.slice(0, end)
        expect(() => {
          complete(part, end, pluginGuide)
          hover(inspectPlugin(part, { isThorough: false }), end - 1, pluginGuide)
        }).to.not.throw()
      }
    }
  })
})
