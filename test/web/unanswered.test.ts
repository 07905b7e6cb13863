import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Route } from 'playwright-core'
import {
  ApiError,
  foreignProblem,
  isUnanswered,
  mayHaveChanged,
  unreachable,
} from '../../server/web/api/problem.ts'
import { untilAnswered } from '../../server/web/api/repeat.ts'
import { bulkPieces, type PostBulk } from '../../server/web/cases/list/bulk-pieces.ts'
import { bulkOutcomeText, type BulkResult } from '../../server/web/cases/list/bulk-changes.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { openPage } from './support/open-page.ts'

const unanswered = (status: number, retryAfterMs = 0) =>
  new ApiError(foreignProblem(status, 'once'), retryAfterMs)

describe('a request that no server answers', () => {
  /** Fails with these errors, then answers; gives the pauses in between. */
  async function repeated(...errors: readonly unknown[]) {
    const pauses: number[] = []
    let sent = 0
    const answer = await untilAnswered(
      async () => {
        const error = errors[sent++]
        if (error !== undefined) throw error
        return 'answer'
      },
      { sleep: async (ms) => void pauses.push(ms) },
    ).catch((error: unknown) => error)
    return { answer, pauses, sent }
  }

  it('is repeated for long enough that another node takes over', async () => {
    const errors = [new ApiError(unreachable('once')), unanswered(502), unanswered(503), unanswered(504)]
    const { answer, pauses } = await repeated(...errors)
    expect(answer).to.equal('answer')
    const total = pauses.reduce((sum, ms) => sum + ms, 0)
    expect(total).to.be.within(10_000, 15_000)
  })

  it('is given up after the fifth failure, with its error', async () => {
    const errors = Array.from({ length: 6 }, () => unanswered(502))
    const { answer, sent } = await repeated(...errors)
    expect(answer).to.equal(errors[4])
    expect(sent).to.equal(5)
  })

  it('honours Retry-After, and leaves a long pause to the person', async () => {
    expect((await repeated(unanswered(503, 5_000))).pauses).to.deep.equal([5_000])
    const { answer, sent } = await repeated(unanswered(503, 60_000))
    expect(isUnanswered(answer)).to.equal(true)
    expect(sent).to.equal(1)
  })

  it('is not repeated after an answer, or when it was stopped', async () => {
    const refused = new ApiError({ title: 'No', status: 409, code: 'x' })
    expect(await repeated(refused)).to.deep.equal({ answer: refused, pauses: [], sent: 1 })
    const stopping = new AbortController()
    let sent = 0
    const stopped = untilAnswered(
      async () => {
        sent++
        throw unanswered(502)
      },
      { signal: stopping.signal, sleep: async () => stopping.abort() },
    )
    expect(mayHaveChanged(await stopped.catch((error: unknown) => error))).to.equal(true)
    expect(sent).to.equal(1)
  })
})

describe('pieces of a bulk change', () => {
  const result = (case_id: string): BulkResult => ({
    case_id,
    outcome: 'changed',
    revision: 2,
    before: { verdict: 'unknown' },
    error: null,
  })

  it('are sent again with the same key after an error, and continue behind the last answer', async () => {
    const sent: { readonly cursor: unknown; readonly key: string }[] = []
    const answers = [
      { data: [result('a'), result('b')], next_cursor: 'behind b' },
      unanswered(502),
      { data: [result('c')], next_cursor: null },
    ]
    const post: PostBulk = async (body, key) => {
      sent.push({ cursor: 'cursor' in body ? body.cursor : undefined, key })
      const answer = answers.shift()
      if (answer === undefined || answer instanceof Error) throw answer
      return answer
    }
    const choice = { filter: {}, since: 1, total: 3 }
    const pieces = bulkPieces([{ choice, changes: { verdict: 'benign' } }], post)
    await pieces.send()
    await pieces.send().catch(() => undefined)
    expect(pieces.next()).to.equal(1)
    expect(await pieces.send()).to.deep.equal([result('c')])
    expect(pieces.next()).to.equal(undefined)
    expect(sent.map(({ cursor }) => cursor)).to.deep.equal([undefined, 'behind b', 'behind b'])
    expect(new Set(sent.map(({ key }) => key)).size).to.equal(2)
    expect(sent[1]?.key).to.equal(sent[2]?.key)
  })

  it('never count cases of an unanswered request as not changed', () => {
    expect(bulkOutcomeText('Closed', [], 30)).to.equal('It is unknown how many of 30 cases were changed.')
    expect(bulkOutcomeText('Closed', [result('a')], 1)).to.equal(
      'Closed 1 case. It is unknown whether 1 case was changed.',
    )
    expect(bulkOutcomeText('Closed', [], 0)).to.equal('Closed 0 cases')
  })
})

const quiet = `
apiVersion: tocsin/v1
name: quiet
on: { alert: { type: quiet } }
steps: [{ uses: case.update, with: { severity: low } }]
`

describe('the page behind a proxy whose node dies', function () {
  this.timeout(60_000)
  const house = openPage({ quiet })
  const result = () => house.page.getByRole('status', { name: 'Result' })
  const badGateway = (status: number, headers: Readonly<Record<string, string>> = {}) => ({
    status,
    headers,
    contentType: 'text/html',
    body: '<h1>Bad Gateway</h1>',
  })

  before(async () => {
    for (let n = 0; n < 3; n++) await house.postAlert('quiet', `{"n":${n}}`)
  })

  async function closeAll(): Promise<void> {
    const { page } = house
    await house.visit('/cases?status=open')
    for (const n of [1, 2, 3])
      await page.getByRole('checkbox', { name: `Select main-${n}`, exact: true }).click()
    await page.getByRole('button', { name: 'Close …' }).click()
    await page.getByRole('radio', { name: 'False positive' }).click()
    await page.getByRole('button', { name: 'Close 3 cases' }).click()
  }
  const undo = async (): Promise<void> => {
    await result().getByRole('button', { name: 'Undo' }).click()
    await result().getByText('Restored 3 cases').waitFor()
  }

  it('repeats a bulk change whose answer was lost, and can undo it', async () => {
    const { page, server } = house
    const keys: (string | undefined)[] = []
    const loseFirst = async (route: Route): Promise<void> => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 1) return await route.continue()
      await route.fetch()
      await route.fulfill(badGateway(502))
    }
    await page.route('**/cases/bulk', loseFirst)
    await closeAll()
    await result().getByText('Closed 3 cases').waitFor()
    await page.unroute('**/cases/bulk', loseFirst)
    expect(keys).to.have.length(2)
    expect(keys[0]).to.equal(keys[1])
    await undo()
    expect((await server.call('/cases?status=open&limit=1')).body.total).to.equal(3)
  })

  it('says that it is unknown how many cases were changed, and finds out when tried again', async () => {
    const { page } = house
    const loseAll = async (route: Route): Promise<void> => {
      await route.fetch()
      // Longer than the page waits by itself.
      await route.fulfill(badGateway(503, { 'retry-after': '60' }))
    }
    await page.route('**/cases/bulk', loseAll)
    await closeAll()
    await result().getByText('It is unknown how many of 3 cases were changed.').waitFor()
    await result().getByText('Stopped: Can’t reach Tocsin').waitFor()
    expect(await result().getByText('0 cases').count()).to.equal(0)
    expect(await result().getByRole('button', { name: 'Undo' }).count()).to.equal(0)
    await page.unroute('**/cases/bulk', loseAll)
    await result().getByRole('button', { name: 'Try again' }).click()
    await result().getByText('Closed 3 cases').waitFor()
    await undo()
  })

  it('says whether a change without an answer can be sent again', async () => {
    const { page } = house
    const lose = (route: Route): Promise<void> =>
      route.request().method() === 'POST' ? route.fulfill(badGateway(502)) : route.continue()
    await house.visit('/cases/main-1')
    await page.route('**/cases/main-1/notes', lose)
    await page.getByRole('textbox', { name: 'Note' }).fill('Seen.')
    await page.getByRole('button', { name: 'Add note' }).click()
    const alert = page.getByRole('alert').filter({ hasText: 'Can’t reach Tocsin' })
    await alert.getByText('The change may or may not have been made.').waitFor()
    await alert.getByText('then try again: the change is made only once').waitFor()
    await page.unroute('**/cases/main-1/notes', lose)
    await page.getByRole('button', { name: 'Add note' }).click()
    await alert.waitFor({ state: 'detached' })
  })

  it('explains what a proxy answered to an upload', async () => {
    const { page } = house
    const folder = await makeTemporaryFolder()
    const path = join(folder.path, 'disk.img')
    await writeFile(path, 'seen')
    await house.visit('/cases/main-1')
    const section = page.getByRole('region', { name: 'Files' })
    const files = '**/cases/main-1/files?*'
    for (const [status, text] of [
      [413, 'The file is too large for the proxy'],
      [502, 'The file may or may not be attached.'],
    ] as const) {
      const answer = (route: Route): Promise<void> =>
        route.request().method() === 'POST' ? route.fulfill(badGateway(status)) : route.continue()
      await page.route(files, answer)
      const choosing = page.waitForEvent('filechooser')
      await section.getByRole('button', { name: 'Attach files' }).click()
      await (await choosing).setFiles([path])
      await section.getByRole('alert').getByText(text).waitFor()
      await page.unroute(files, answer)
      await section.getByRole('button', { name: 'Dismiss disk.img' }).click()
    }
    await folder.remove()
  })
})
