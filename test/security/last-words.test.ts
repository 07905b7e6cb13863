import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

/** A plugin with a bug: its skill throws after the call was abandoned, and puts its secrets on the error. */
const careless = `
const connection = {
  title: 'Careless',
  description: 'Has a secret.',
  settings: {
    type: 'object',
    additionalProperties: false,
    required: ['token'],
    properties: { base_url: { type: 'string', format: 'uri' }, token: { type: 'string', 'x-secret': true } },
  },
  baseUrl: () => 'https://careless.example',
  headers: ({ token }) => ({ authorization: token.reveal() }),
  authenticate: async () => {},
}

export default {
  name: 'careless',
  title: 'Careless',
  description: 'Throws where nobody catches it.',
  connection,
  skills: [
    {
      name: 'drop',
      title: 'Drop',
      description: 'Drops it.',
      effect: 'read',
      connection,
      input: { type: 'object', additionalProperties: false, properties: { how: { type: 'string' } } },
      output: { type: 'object' },
      examples: [{ title: 'Dropped', input: {}, output: {} }],
      async run(input, { settings }) {
        const secret = settings.token.reveal()
        const headers = { authorization: secret, form: encodeURIComponent(secret) }
        const error = Object.assign(new Error('dropped ' + secret), { headers, request: { headers } })
        if (input.how === 'rejects') void Promise.reject(error)
        else setImmediate(() => { throw error })
        await new Promise((resolve) => setTimeout(resolve, 60_000))
        return {}
      },
    },
  ],
}
`
const secret = 'canary-4711/+="dropped"'

describe('an uncaught error in a process', function () {
  let house: TestTocsin
  beforeEach(async () => {
    house = await makeTestTocsin()
    await writeFile(join(house.folder, 'careless.js'), careless)
    for (const how of ['throws', 'rejects'])
      await house.addPlaybook(how, `  - { uses: careless.drop, connection: c, with: { how: ${how} } }`)
  })
  afterEach(() => house?.close())

  for (const how of ['throws', 'rejects']) {
    it(`is logged without secrets if a plugin ${how} it`, async () => {
      const server = await house.start({ env: { TOCSIN_PLUGINS: './careless.js' } })
      const body = { organization_code: 'main', name: 'c', plugin: 'careless', settings: { token: secret } }
      const connected = await server.call('/connections', { body })
      expect(connected.status, JSON.stringify(connected.body)).to.equal(201)
      await house.post(how).catch(() => undefined)
      const { code, stderr } = await server.command.ended
      expect(code).to.equal(1)
      expect(stderr)
        .to.include('"message":"dropped [redacted]"')
        .and.include('exiting after an uncaught error')
      for (const form of [secret, encodeURIComponent(secret), 'canary']) expect(stderr).not.to.include(form)
    })
  }
})
