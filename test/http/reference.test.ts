import { expect } from 'chai'
import { createHash } from 'node:crypto'
import { openApiDocument } from '../../server/http/reference/openapi.ts'
import { renderReference } from '../../server/http/reference/render-reference.ts'
import { defineRoute } from '../../server/http/routing/route.ts'
import { routes } from '../../server/http/routing/routes.ts'
import { startApi, textOf, type Api, type Reply } from './support/api.ts'
import { readCurl } from './support/curl.ts'

/**
 * Tags in the order in which they open and close; fails if a closing tag does not match the last open one.
 */
function tagsOf(page: string): readonly string[] {
  const open: string[] = []
  const tags = [...page.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"<>]*")*)>/g)]
  for (const [, isEnd, name = ''] of tags) {
    if (name === 'meta') continue
    if (isEnd === '/') expect(open.pop(), page.slice(0, 200)).to.equal(name)
    else open.push(name)
  }
  expect(open).to.deep.equal([])
  return tags.map(([whole]) => whole)
}

const texts = (page: string) =>
  page
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', `'`)
    .replaceAll('&amp;', '&')

describe('the reference page', () => {
  let api: Api
  let reply: Reply
  before(async () => {
    api = await startApi()
    reply = await api.call('GET', '/api/docs', { key: null })
  })
  after(() => api.close())

  it('is served without a key and loads no other files', () => {
    expect([reply.status, reply.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8'])
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(reply.text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(reply.headers.get('content-security-policy')).to.equal(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(style).to.not.match(/url\(|@import/)
    const tags = tagsOf(reply.text)
    expect(
      tags.filter((tag) => /^<(script|link|img|iframe|form|object|base)|\s(style|src|on\w+)=/.test(tag)),
    ).to.deep.equal([])
    expect(reply.text.replaceAll(/<style>.*?<\/style>/gs, '').match(/</g)).to.have.length(tags.length - 1)
  })

  it('shows every operation and schema, each at its own address', () => {
    const { paths, components } = openApiDocument(routes, 'api', undefined, 'x')
    const ids = [...reply.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).to.equal(ids.length)
    for (const methods of Object.values(paths))
      for (const { operationId, summary } of Object.values(methods)) {
        expect(ids).to.include(operationId)
        expect(texts(reply.text).replaceAll(/<\/?code>/g, '`')).to.include(summary)
      }
    for (const name of Object.keys(components.schemas)) expect(ids).to.include(`schema-${name}`)
    const links = [...reply.text.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id)
    expect(ids).to.include.members([...new Set(links)])
    const others = [...reply.text.matchAll(/ href="([^#"][^"]*)"/g)].map(([, href]) => href)
    expect(others).to.deep.equal(['openapi.json'])
  })

  it('has a working example call for each operation', async () => {
    const examples = [...reply.text.matchAll(/<pre><code>(.*?)<\/code><\/pre>/gs)].map(([, code = '']) =>
      texts(code),
    )
    expect(examples).to.have.length(routes.length)
    const variables = new Proxy<Record<string, string>>(
      { TOCSIN_URL: api.url, TOCSIN_KEY: api.adminKey },
      {
        get: (known, name: string) => known[name] ?? 'none',
      },
    )
    const understood = new Set<string>()
    for (const example of examples) {
      const [call] = readCurl(example, variables)
      expect(call, example).to.not.equal(undefined)
      const { method, url, headers, body } = call!
      const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
      const text = await textOf(answer)
      const { code } = (answer.ok ? {} : JSON.parse(text)) as { code?: string }
      // A made-up object does not exist in the organization.
      if (!answer.ok)
        expect(code, `${example}\n${text}`).to.match(
          /_not_found$|^unknown_|^webhook_refused$|^value_invalid$|^session_not_found$|^sign_in_unknown$|^key_invalid$|^playbook_invalid$|^precondition_failed$|^account_needed$|_off$/,
        )
      if (code === 'value_invalid')
        expect(text, example).to.match(
          /either `\w+` or `\w+` is required|until or by is required|must be an e-mail address/,
        )
      understood.add(`${method} ${new URL(url).pathname}`)
    }
    expect(understood.size).to.equal(routes.length)
  })

  it('escapes descriptions', () => {
    const hostile = `<img src=x onerror=alert(1)>"'&\`</style></code>\u0000`
    const route = defineRoute({
      method: 'POST',
      path: '/x/{id}',
      access: 'keys:write',
      summary: hostile,
      answer: { type: 'object', properties: { [hostile]: { description: hostile, enum: [hostile] } } },
      query: { [hostile]: { type: 'string', description: hostile } },
      body: { required: [hostile], properties: { [hostile]: { const: hostile } } },
      handle: async () => ({}),
    })
    const page = renderReference(openApiDocument([route], 'api', undefined, 'x'))
    expect(page).to.include('&lt;img src=x')
    expect(tagsOf(page).join('')).to.not.include('img')
    expect(page.match(/<\/style>/g)).to.have.length(1)
  })
})
