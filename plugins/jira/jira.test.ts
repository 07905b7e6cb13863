import { expect } from 'chai'
import { createHmac } from 'node:crypto'
import { openDeclaredPlugin } from 'tocsin/plugin/testing'

const settings = {
  site: 'example.atlassian.net',
  email: 'tocsin@example.com',
  api_token: 'an-api-token-of-jira',
  webhook_secret: 'a-webhook-secret',
}
const jira = await openDeclaredPlugin(import.meta.dirname, settings)

const anonymous = { headers: { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' } }
const comment = { issue: 'SEC-1', comment: 'a\n\nb' }
const status = (name: string) => ({ json: { fields: { status: { name } } } })

describe('jira', () => {
  for (const [what, reply, kind, text] of [
    ['a token taken as anonymous', { ...anonymous, json: { id: '1' } }, 'ConnectionError', /has expired/],
    [
      'a missing scope',
      { status: 401, json: { message: 'Unauthorized; scope does not match' } },
      'ConnectionError',
      /write:jira-work/,
    ],
    ['a token that needs the cloud ID', { status: 401, text: '' }, 'ConnectionError', /cloud ID/],
    [
      'a missing permission',
      { status: 403, json: { errorMessages: ['no'] } },
      'ConnectionError',
      /in the project/,
    ],
    [
      'a site that does not exist',
      { status: 404, json: { errorMessage: 'Site temporarily unavailable' } },
      'ConnectionError',
      /check the site/,
    ],
    [
      'a hidden issue',
      { status: 404, json: { errorMessages: ['Issue does not exist'] } },
      'SkillError',
      /may not see it/,
    ],
    [
      'a refused field',
      { status: 400, json: { errors: { summary: 'is required' } } },
      'SkillError',
      /summary: is required/,
    ],
    ['a change at the same time', { status: 409, json: {} }, 'RetryableError', /someone else/],
    [
      'an issue that changes too often',
      {
        status: 429,
        headers: { 'ratelimit-reason': 'jira-per-issue-on-write', 'retry-after': '2' },
        text: 'slow',
      },
      'RetryableError',
      /this issue/,
    ],
    [
      'a maintenance page',
      { status: 503, text: '<html><title>Maintenance</title>' },
      'RetryableError',
      /Maintenance/,
    ],
  ] as const)
    it(`explains ${what}`, async () => {
      const failure = await jira.failureOf('add_comment', comment, { replies: [reply] })
      expect(failure).to.include({ kind })
      expect(failure.text).to.match(text)
    })

  it('does not take an anonymous search for an empty one', async () => {
    const replies = [{ ...anonymous, json: { issues: [], isLast: true } }]
    expect(await jira.failureOf('search_issues', { project: 'SEC' }, { replies })).to.include({
      kind: 'ConnectionError',
    })
    const hidden = [{ ...anonymous, status: 404, json: { errorMessages: ['Issue does not exist'] } }]
    expect(
      (await jira.run('get_issue', { issue: 'SEC-1' }, { replies: [{ ...hidden[0]!, headers: {} }] })).output,
    ).to.deep.equal({ found: false })
    expect(await jira.failureOf('get_issue', { issue: 'SEC-1' }, { replies: hidden })).to.include({
      kind: 'ConnectionError',
    })
    expect(await jira.checkFailureOf([{ ...anonymous, json: {} }])).to.include({ kind: 'ConnectionError' })
  })

  it('reads descriptions of any shape', async () => {
    const textOf = async (description: unknown) => {
      const json = { id: '1', key: 'SEC-1', fields: { description } }
      return (await jira.run('get_issue', { issue: 'SEC-1' }, { replies: [{ json }] })).output['description']
    }
    expect(await textOf(null)).to.equal(undefined)
    expect(await textOf('plain')).to.equal('plain')
    expect(await textOf({ type: 'doc' })).to.equal('')
    expect(
      await textOf({
        type: 'doc',
        content: [{ type: 'rule' }, { type: 'panel', content: [{ type: 'emoji', attrs: {} }] }],
      }),
    ).to.equal('\n')
    expect(
      await textOf({ content: [{ content: [{ content: [{ content: [{ text: 'deep' }] }] }] }] }),
    ).to.equal('deep')
  })

  it('uses the gateway with a cloud ID', async () => {
    const cloud = { ...settings, cloud_id: '0f3a1b2c-0000-4000-8000-000000000000' }
    const { requests } = await jira.run(
      'find_users',
      { query: 'kim' },
      { settings: cloud, replies: [{ json: [] }] },
    )
    expect(requests[0]?.url).to.match(
      /^https:\/\/api\.atlassian\.com\/ex\/jira\/0f3a1b2c-0000-4000-8000-000000000000\/rest\/api\/3\/user\/search\?/,
    )
  })

  it('keeps values within their place in JQL and paths', async () => {
    const input = {
      project: 'S" OR project = "X',
      text: 'a" OR b\\',
      label: 'l\\',
      condition: 'created > -7d',
    }
    const { requests } = await jira.run('search_issues', input, { replies: [{ json: { issues: [] } }] })
    expect((JSON.parse(requests[0]!.body) as { jql: string }).jql).to.equal(
      String.raw`project = "S\" OR project = \"X" AND text ~ "\"a  OR b \"" AND labels = "l\\" AND (created > -7d) ORDER BY created DESC`,
    )
    const { requests: paths } = await jira.run(
      'assign_issue',
      { issue: 'SEC-1/../x?', assignee: '-1' },
      { replies: [{ status: 204 }] },
    )
    expect(paths[0]?.path).to.equal('/rest/api/3/issue/SEC-1%2F..%2Fx%3F/assignee')
  })

  it('searches on after a short page, up to the limit', async () => {
    const page = (from: number, count: number, more: object) => ({
      json: {
        issues: Array.from({ length: count }, (_, at) => ({
          id: `${from + at}`,
          key: `S-${from + at}`,
          fields: { status: null, priority: { name: 'Odd' } },
        })),
        ...more,
      },
    })
    const replies = [
      page(0, 3, { nextPageToken: 'a' }),
      page(3, 100, { nextPageToken: 'b' }),
      page(103, 100, { nextPageToken: 'c' }),
    ]
    const { output, requests } = await jira.run('search_issues', { project: 'S', limit: 150 }, { replies })
    expect(output.issues).to.have.length(150)
    expect(output.complete).to.equal(false)
    expect(
      requests.map(({ body }) => (JSON.parse(body) as { nextPageToken?: string }).nextPageToken),
    ).to.deep.equal([undefined, 'a', 'b'])
    const last = await jira.run(
      'search_issues',
      { project: 'S' },
      { replies: [page(0, 1, { isLast: true, nextPageToken: 'a' })] },
    )
    expect(last.output).to.include({ complete: true })
  })

  it('finds an interrupted issue by its label, and leaves the outcome open without one', async () => {
    const verify = (issues: readonly object[]) =>
      jira.run(
        'create_issue',
        { summary: 's', project: 'S' },
        { purpose: 'verify', replies: [{ json: { issues } }] },
      )
    const { output, requests } = await verify([{ id: '1', key: 'S-1' }])
    expect(output).to.include({ key: 'S-1', url: 'https://example.atlassian.net/browse/S-1' })
    expect(requests[0]?.body).to.match(/labels = \\"tocsin-[0-9a-f-]{36}\\"/)
    expect(await verify([]).catch((error: { code: string }) => error.code)).to.equal('bad_response')
  })

  it('finds an interrupted comment by its text', async () => {
    const body = (...texts: readonly string[]) => ({
      content: texts.map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] })),
    })
    const verify = (...bodies: readonly object[]) =>
      jira.run('add_comment', comment, {
        purpose: 'verify',
        replies: [{ json: { comments: bodies.map((each) => ({ body: each })) } }],
      })
    expect((await verify(body('x'), body('a', 'b'))).output).to.deep.equal({ issue: 'SEC-1' })
    expect((await verify(body('a'), { content: [{ type: 'rule' }] })).output).to.equal(undefined)
  })

  it('writes a comment without markup', async () => {
    const { requests } = await jira.run(
      'add_comment',
      { issue: 'S-1', comment: '[~kim] {code}\r\n<b>' },
      { replies: [{ status: 201, json: {} }] },
    )
    expect(requests[0]?.body)
      .to.include(String.raw`"text":"[~kim] {code}`)
      .and.to.include('"text":"<b>"')
  })

  it('names the possible statuses if no transition leads to one', async () => {
    const transitions = {
      json: {
        transitions: [
          { id: '7', to: { name: 'Review' } },
          { id: '8', to: { name: 'Done' } },
        ],
      },
    }
    const failure = await jira.failureOf(
      'transition_issue',
      { issue: 'S-1', status: 'Closed' },
      { replies: [status('Open'), transitions] },
    )
    expect(failure).to.include({ kind: 'SkillError', effect: 'none' })
    expect(failure.text).to.match(/from Open to Closed; possible are Review, Done/)
    const { output, requests } = await jira.run(
      'transition_issue',
      { issue: 'S-1', status: 'done' },
      { replies: [status('Open'), transitions, { status: 204 }] },
    )
    expect(output).to.deep.equal({ status: 'done', changed: true })
    expect(requests[2]?.body).to.equal('{"transition":{"id":"8"}}')
  })

  it('receives signed events', () => {
    const body = JSON.stringify({ webhookEvent: 'jira:issue_created', issue: { key: 'S-1' } })
    const signature = createHmac('sha256', settings.webhook_secret).update(body).digest('hex')
    const { alerts } = jira.receive('issues', body, { headers: { 'x-hub-signature': `sha256=${signature}` } })
    expect(alerts?.[0]).to.include({ provider: 'jira', type: 'jira_issue_created', content: body })
    expect(() =>
      jira.receive('issues', `${body} `, { headers: { 'x-hub-signature': `sha256=${signature}` } }),
    ).to.throw()
  })
})
