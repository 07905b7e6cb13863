import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { MessagingSandbox } from '../../plugins/messaging/sandbox.ts'
import type { Reply } from '../support/server/start-server.ts'
import { readCurl } from '../http/support/curl.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const page = readFileSync(new URL('../../plugins/messaging/README.md', import.meta.url), 'utf8')

/** Its commands, except for the file that one of them writes. */
const commands = [...page.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].map(([, text = '']) =>
  text.replaceAll(/^ +/gm, '').replace(' > manifest.json', ''),
)

describe('the setup steps of the messaging README', function () {
  let tocsin: TestTocsin
  before(async () => {
    tocsin = await startTestTocsin({ inProcess: true, sandbox: 'messaging' })
  })
  after(() => tocsin.close())

  /** Runs a command with the sandbox as the workspace. */
  async function follow(command: string, change: (body: any) => object): Promise<Reply> {
    const variables = { TOCSIN_URL: 'http://tocsin', TOCSIN_KEY: 'key' }
    const [
      {
        method,
        url,
        headers: { cookie: _, ...headers },
        body,
      },
    ] = readCurl(command, variables) as [ReturnType<typeof readCurl>[0]]
    // Without it the server refuses; the caller below would add it.
    if (method === 'PATCH') expect(headers).to.include({ 'if-match': '*' })
    return tocsin.call(url.replace('http://tocsin/api', ''), {
      method,
      headers,
      ...(body === undefined ? {} : { body: change(JSON.parse(body)) }),
    })
  }

  it('work in order', async () => {
    const { settings, controls } = tocsin.sandbox as MessagingSandbox
    const { messaging_api_url, bot_token, webhook_url, signing_secret } = settings
    const statuses: number[] = []
    for (const command of commands) {
      const { status, body } = await follow(command, (given) => ({
        ...given,
        settings:
          'bot_token' in given.settings
            ? { ...given.settings, bot_token, webhook_url, signing_secret }
            : { ...given.settings, messaging_api_url },
      }))
      statuses.push(status)
      if (command.includes('/manifest')) expect(body).to.have.nested.property('settings.interactivity')
      if (command.includes('/authenticate')) expect(body).to.include({ status: 'ok', warning: null })
    }
    expect(statuses).to.deep.equal([201, 200, 200, 200])
    // Step 7: the address of the events is verified.
    const { body } = await tocsin.call('/connections/chat/manifest')
    const { event_subscriptions: events, interactivity } = body.settings
    await controls.callbacks.subscribe({
      events: events.request_url,
      interactions: interactivity.request_url,
    })
  })
})
