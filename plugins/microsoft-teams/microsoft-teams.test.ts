import { expect } from 'chai'
import { readAnswerLink, Secret, valueAt } from 'tocsin/plugin'
import { checkConnection, loopbackEgress, runSkill, type CannedReply } from 'tocsin/plugin/testing'
import { cardMessage } from './card.ts'
import { connection } from './connection.ts'
import sandbox from './sandbox.ts'
import { askInChat } from './skills/ask.ts'
import { deleteChannelMessage } from './skills/delete-message.ts'
import { listTeamMembers } from './skills/list-members.ts'
import { postChannelMessage } from './skills/post-message.ts'
import { sendNotification } from './skills/send-notification.ts'

const bot = {
  app_id: '00000000-0000-4000-8000-000000000002',
  app_secret: 'a-client-secret',
  tenant_id: '00000000-0000-4000-8000-000000000001',
}
const link_secret = 'link-secret-0123456789abcdef-0123'
const settings = { ...bot, team_id: '19:soc@thread.tacv2', link_secret }
const post = { channel_id: '19:soc@thread.tacv2', text: 'x' }
const token = { json: { access_token: 'fresh', expires_in: 3599 } }

interface Failed {
  readonly name: string
  readonly message: string
  readonly hint?: string
  readonly code?: string
  readonly details?: { readonly effect?: string }
}

const failureOf = (work: Promise<unknown>): Promise<Failed> =>
  work.then(
    (output) => {
      throw new Error(`should fail, but gives ${JSON.stringify(output)}`)
    },
    (error: unknown) => error as Failed,
  )
const bodyOf = (text = '{}') => JSON.parse(text) as Record<string, unknown>
const contentOf = (message: unknown) => valueAt((valueAt(message, 'attachments') as unknown[])[0], 'content')

describe('microsoft_teams', () => {
  describe('reports errors with a hint for the operator', () => {
    const refused = (status: number, code: string): CannedReply => ({
      status,
      json: { error: { code, message: 'no' } },
    })
    const blocked = { errorCode: 209, message: '{"subCode":"MessageWritesBlocked","details":"user left"}' }
    const answers: readonly (readonly [string, CannedReply, string, RegExp])[] = [
      [
        'an app that was removed',
        refused(403, 'BotNotInConversationRoster'),
        'SkillError',
        /install the Teams app/,
      ],
      [
        'an app that a person lacks',
        refused(403, 'ForbiddenOperationException'),
        'SkillError',
        /for the person/,
      ],
      [
        'JSON in JSON',
        { status: 403, json: blocked },
        'SkillError',
        /MessageWritesBlocked: user left.*blocked/,
      ],
      [
        'a bot that is blocked',
        refused(403, 'BotDisabledByAdmin'),
        'ConnectionError',
        /administrator of Teams/,
      ],
      ['an unknown bot', refused(401, 'BotNotRegistered'), 'ConnectionError', /no Azure Bot/],
      ['a wrong cloud', refused(403, 'InvalidBotApiHost'), 'ConnectionError', /choose GCC/],
      [
        'a refused token',
        { status: 401, json: { message: 'Authorization has been denied for this request.' } },
        'ConnectionError',
        /has been denied.*check app ID/,
      ],
      ['a card that is too large', refused(413, 'MessageSizeTooBig'), 'SkillError', /shorten the text/],
      ['an unknown channel', refused(404, 'ConversationNotFound'), 'SkillError', /no such team, channel/],
      ['a used-up limit', refused(429, 'Throttled'), 'RetryableError', /7 messages a second/],
      ['a conflict', refused(412, 'PreconditionFailed'), 'RetryableError', /PreconditionFailed/],
      ['maintenance', { status: 503, text: '<html><title>Down</title></html>' }, 'RetryableError', /Down/],
      ['an answer without id', { json: {} }, 'SkillError', /has no id/],
      ['a sign-in page', { text: '<html>Sign in</html>' }, 'SkillError', /JSON/],
    ]
    for (const [what, reply, kind, text] of answers)
      it(what, async () => {
        const replies = [reply, token, reply]
        const error = await failureOf(runSkill(postChannelMessage, post, { settings, replies }))
        expect(error.name).to.equal(kind)
        expect(`${error.message}; ${error.hint}`).to.match(text)
      })

    it('an expired secret', async () => {
      const reply = { status: 401, json: { error: 'invalid_client', error_codes: [7000222] } }
      const error = await failureOf(checkConnection(connection, { settings, replies: [reply] }))
      expect(error).to.include({ code: 'token_refused' })
      expect(error.hint).to.match(/secret has expired/)
    })

    it('what is missing', async () => {
      const run = (given: object) => failureOf(runSkill(postChannelMessage, post, { settings: { ...given } }))
      expect(await run({})).to.include({ code: 'connection_incomplete' })
      expect(await run({ app_id: bot.app_id, tenant_id: bot.tenant_id })).to.include({
        code: 'connection_incomplete',
      })
      expect(await failureOf(runSkill(sendNotification, { text: 'x' }, { settings: bot }))).to.include({
        code: 'connection_incomplete',
      })
      expect(await failureOf(checkConnection(connection, { settings: {} }))).to.include({
        code: 'connection_incomplete',
      })
    })
  })

  const clouds = [
    ['global', 'login.microsoftonline.com', 'smba.trafficmanager.net', 'com'],
    ['gcc', 'login.microsoftonline.com', 'smba.infra.gcc.teams.microsoft.com', 'com'],
    ['us_gov_high', 'login.microsoftonline.us', 'smba.infra.gov.teams.microsoft.us', 'us'],
    ['us_gov_dod', 'login.microsoftonline.us', 'smba.infra.dod.teams.microsoft.us', 'us'],
  ] as const
  for (const [cloud, login, service, top] of clouds)
    it(`keeps to the hosts of the cloud ${cloud}`, async () => {
      const replies = [token, { json: { members: [] } }]
      const { requests } = await checkConnection(connection, { settings: { ...settings, cloud }, replies })
      expect(requests.map(({ url }) => url.split('?')[0])).to.deep.equal([
        `https://${login}/${bot.tenant_id}/oauth2/v2.0/token`,
        `https://${service}/teams/v3/conversations/19%3Asoc%40thread.tacv2/pagedmembers`,
      ])
      expect(new URLSearchParams(requests[0]?.body).get('scope')).to.equal(
        `https://api.botframework.${top}/.default`,
      )
    })

  describe('send_notification', () => {
    const webhook_url =
      'https://prod-1.westeurope.logic.azure.com/workflows/1/triggers/manual?sp=%2Frun&sig=a-signature'
    const send = (reply: CannedReply) =>
      runSkill(sendNotification, { text: 'x' }, { settings: { ...bot, webhook_url }, replies: [reply] })

    it('sends no token of the bot to the workflow', async () => {
      const { output, requests } = await send({ status: 202, text: '' })
      expect(output).to.deep.equal({ accepted: true })
      expect(requests[0]?.url).to.equal(webhook_url)
      expect(requests[0]?.headers).not.to.have.property('authorization')
    })

    it('never shows the address, which is a secret', async () => {
      const error = await failureOf(send({ status: 404, json: { error: { message: webhook_url } } }))
      expect(error).to.include({ name: 'ConnectionError', code: 'http_404' })
      expect(JSON.stringify([error.message, error.hint])).not.to.include('a-signature')
    })

    it('leaves a message without an answer open', async () => {
      const error = await failureOf(send({ status: 502 }))
      expect(error).to.include({ name: 'RetryableError' })
      expect(error.details?.effect).to.equal('unknown')
    })
  })

  describe('a card', () => {
    it('shows text of attackers as it is written', () => {
      const hostile = '[click](https://evil.example) **x** <at>all</at>\n\u202etxt.exe\u0000'
      const { attachments, summary } = cardMessage(hostile, `a\nb ${'x'.repeat(300)}`)
      expect(attachments[0]?.content.body.slice(1)).to.deep.equal(
        ['[click](https://evil.example) **x** <at>all</at>', 'txt.exe'].map((text) => ({
          type: 'RichTextBlock',
          inlines: [{ type: 'TextRun', text }],
        })),
      )
      expect(summary)
        .to.match(/^a b x+…$/)
        .and.have.length(200)
    })

    it('stays below 25 KB, whatever the text', () => {
      for (const text of [
        'x'.repeat(100_000),
        '😀'.repeat(50_000),
        '"\\'.repeat(50_000),
        'a\n'.repeat(50_000),
      ]) {
        const json = JSON.stringify(cardMessage(text, 'T', [{ title: 'a', url: 'https://a.example' }]))
        expect(Buffer.byteLength(json)).to.be.below(25_000)
        expect(json).to.include(`the whole text has ${text.length} characters`)
      }
    })
  })

  describe('list_members', () => {
    it('reads pages up to the limit, and members without fields', async () => {
      const page = (from: number, count: number, continuationToken?: string): CannedReply => ({
        json: {
          members: [
            ...Array.from({ length: count }, (_, at) => ({ id: `29:${from + at}`, email: null })),
            { name: 'without an id' },
          ],
          continuationToken,
        },
      })
      const { output, requests } = await runSkill(
        listTeamMembers,
        { team_id: '19:soc@thread.tacv2', limit: 300 },
        { settings, replies: [page(0, 200, 'a+b'), page(200, 0, 'c'), page(200, 9_800, 'd')] },
      )
      expect(output.members).to.have.length(300)
      expect(output.complete).to.equal(false)
      expect(new URL(requests[1]!.url).searchParams.get('continuationToken')).to.equal('a+b')
    })

    it('takes no team that leads elsewhere', async () => {
      for (const team_id of ['..', '19:a@thread.tacv2/../x', '19:@thread.tacv2'])
        expect(await failureOf(runSkill(listTeamMembers, { team_id }, { settings }))).to.include({
          code: 'value_invalid',
        })
    })
  })

  it('does not fail for a message that is gone, and encodes the thread', async () => {
    const input = { conversation_id: '19:soc@thread.tacv2;messageid=1', message_id: '7' }
    const replies = [{ status: 404, json: { error: { code: 'ActivityNotFoundInConversation' } } }]
    const { output, requests } = await runSkill(deleteChannelMessage, input, { settings, replies })
    expect(output).to.deep.equal({ existed: false })
    expect(requests[0]?.path).to.equal(
      '/teams/v3/conversations/19%3Asoc%40thread.tacv2%3Bmessageid%3D1/activities/7',
    )
  })

  describe('ask', () => {
    const person = '0a9c1f6e-3d52-4b7a-9c1e-6f2d8b4a7c10'
    const input = {
      user: 'KIM@example.com',
      message: 'Was this you?',
      labels: { mine: 'Yes' },
      checkpoint_id: 'c1',
      answers: ['mine', 'not_mine'],
    }
    const members = [
      { id: '29:lee', aadObjectId: 'x', email: 'lee@example.com' },
      { id: '29:kim', aadObjectId: person.toUpperCase(), userPrincipalName: 'kim@example.com' },
    ]
    const replies = [{ json: { members } }, { json: { id: 'a:chat' } }, { json: { id: '17' } }]
    const asked = { asked: person, asked_name: input.user, conversation_id: 'a:chat', message_id: '17' }

    it('gives each answer a link that answers for this person only', async () => {
      const { output, requests } = await runSkill(askInChat, input, { settings, replies })
      expect(output).to.deep.equal(asked)
      expect(bodyOf(requests[1]?.body)).to.deep.include({
        isGroup: false,
        bot: { id: `28:${bot.app_id}` },
        members: [{ id: '29:kim' }],
      })
      const actions = valueAt(contentOf(bodyOf(requests[2]?.body)), 'actions') as {
        title: string
        url: string
      }[]
      expect(actions.map(({ title }) => title)).to.deep.equal(['Yes', 'not_mine'])
      const questions = actions.map(({ url }) =>
        readAnswerLink(Object.fromEntries(new URL(url).searchParams), new Secret(link_secret)),
      )
      expect(questions).to.deep.equal(
        input.answers.map((value) => ({ checkpointId: 'c1', by: person, value })),
      )
    })

    it('needs no team for an object ID', async () => {
      const { output } = await runSkill(
        askInChat,
        { ...input, user: person.toUpperCase() },
        { settings: { ...bot, link_secret }, replies: replies.slice(1) },
      )
      expect(output.asked).to.equal(person)
    })

    it('asks nobody who is not in the team, and needs its secrets', async () => {
      const unknown = { settings, replies: [{ json: { members: members.slice(0, 1) } }] }
      expect(await failureOf(runSkill(askInChat, input, unknown))).to.include({
        code: 'teams_user_not_found',
      })
      for (const given of [
        { ...bot, team_id: settings.team_id },
        { ...bot, link_secret },
      ])
        expect(await failureOf(runSkill(askInChat, input, { settings: given }))).to.include({
          code: 'connection_incomplete',
        })
    })

    it('leaves a question without an answer open, and one that was not posted not', async () => {
      const effectAfter = async (failing: number) =>
        (
          await failureOf(
            runSkill(askInChat, input, {
              settings,
              replies: [...replies.slice(0, failing), { status: 502 }],
            }),
          )
        ).details?.effect
      expect(await effectAfter(1)).to.equal(undefined)
      expect(await effectAfter(2)).to.equal('unknown')
    })

    const ends = [
      [{ state: 'answered', value: 'mine' }, 'Answered: Yes'],
      [{ state: 'timed_out' }, 'No answer in time.'],
      [{ state: 'withdrawn' }, 'This question was withdrawn. No answer is needed.'],
      [{ state: 'decided' }, 'Other people have decided. No answer is needed.'],
    ] as const
    for (const [outcome, text] of ends)
      it(`removes the buttons when it is ${outcome.state}`, async () => {
        const { requests } = await runSkill(askInChat, input, {
          settings,
          purpose: 'settle',
          asked: { output: asked, outcome },
          replies: [{ json: { id: '17' } }],
        })
        expect(requests[0]).to.include({
          method: 'PUT',
          path: '/teams/v3/conversations/a%3Achat/activities/17',
        })
        expect(contentOf(bodyOf(requests[0]?.body))).not.to.have.property('actions')
        expect(requests[0]?.body).to.include(text)
      })

    it('reminds in the chat', async () => {
      const running = await sandbox.start()
      const options = { settings: running.settings, egress: loopbackEgress }
      const { output } = await runSkill(askInChat, input, options)
      await runSkill(askInChat, input, { ...options, purpose: 'remind', asked: { output } })
      expect(running.requests.at(-1)?.body).to.include('A reminder')
      await running.close()
    })
  })
})
