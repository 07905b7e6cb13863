import { isObject, objectsAt, valueAt } from 'tocsin/plugin'
import { issueTokens, serveSandbox, type SandboxCall, type SandboxReply } from 'tocsin/plugin/testing'

const tenant = '00000000-0000-4000-8000-000000000001'
const app = '00000000-0000-4000-8000-000000000002'

const members = [
  {
    id: '29:kim',
    aadObjectId: '0a9c1f6e-3d52-4b7a-9c1e-6f2d8b4a7c10',
    name: 'Kim',
    email: 'Kim@example.com',
    userPrincipalName: 'kim@example.com',
  },
  { id: '29:guest', name: 'Guest', email: null },
]

const refuse = (status: number, code: string): SandboxReply => ({
  status,
  json: { error: { code, message: 'refused by the sandbox' } },
})

/** A team with a bot, and a workflow. Message 404 does not exist. */
export default serveSandbox(
  (tell) => {
    const tokens = issueTokens({
      clientId: app,
      clientSecret: 'sandbox-secret',
      form: { scope: 'https://api.botframework.com/.default' },
    })
    const show = (activity: unknown) => {
      const [card] = objectsAt(activity, 'attachments')
      const texts = objectsAt(valueAt(card, 'content'), 'body').flatMap((block) =>
        objectsAt(block, 'inlines').map((run) => String(run['text'])),
      )
      const links = objectsAt(valueAt(card, 'content'), 'actions').map(
        ({ title, url }) => `[${String(title)}] ${String(url)}`,
      )
      tell([...texts, ...links].join('\n'))
    }
    const withToken = (answer: (call: SandboxCall) => SandboxReply) => (call: SandboxCall) =>
      tokens.check(call)
        ? answer(call)
        : { status: 401, json: { message: 'Authorization has been denied for this request.' } }
    const post = withToken(({ body }) => {
      const activity = parsed(body)
      if (valueAt(activity, 'type') !== 'message') return refuse(400, 'Bad Argument')
      show(activity)
      return { status: 201, json: { id: '1' } }
    })
    return {
      answer: {
        'POST /:tenant/oauth2/v2.0/token': tokens.issue,
        'POST /workflows/:id': ({ body }) => {
          show(parsed(body))
          return { status: 202, text: '' }
        },
        'GET /v3/conversations/:team/pagedmembers': withToken(({ params }) =>
          params['team'] === '19:soc@thread.tacv2'
            ? { json: { members } }
            : refuse(404, 'ConversationNotFound'),
        ),
        'POST /v3/conversations': withToken(({ body }) => {
          const asked = parsed(body)
          const [member] = objectsAt(asked, 'members')
          if (member !== undefined) return { status: 201, json: { id: `a:chat-${String(member['id'])}` } }
          const channel = valueAt(valueAt(valueAt(asked, 'channelData'), 'channel'), 'id')
          if (typeof channel !== 'string') return refuse(400, 'Bad Argument')
          show(valueAt(asked, 'activity'))
          return { status: 201, json: { id: `${channel};messageid=1`, activityId: '1' } }
        }),
        'POST /v3/conversations/:conversation/activities': post,
        'PUT /v3/conversations/:conversation/activities/:activity': post,
        'DELETE /v3/conversations/:conversation/activities/:activity': withToken(({ params }) =>
          params['activity'] === '404'
            ? refuse(404, 'ActivityNotFoundInConversation')
            : { status: 200, text: '' },
        ),
      },
    }
  },
  (url) => ({
    app_id: app,
    app_secret: 'sandbox-secret',
    tenant_id: tenant,
    team_id: '19:soc@thread.tacv2',
    webhook_url: `${url}/workflows/1?sig=sandbox-signature`,
    link_secret: 'link-secret-0123456789abcdef-0123',
    base_url: url,
    login_url: url,
  }),
)

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
