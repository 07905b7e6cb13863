import { idleEnd, lastEnd, signInMethods, type Session } from '../../../../../core/domain/session.ts'
import { requirePerson } from '../../../caller/require-person.ts'
import { RequestError } from '../../../request/request-error.ts'
import { defineRoute, type Services } from '../../../routing/route.ts'
import { objectSchema, text, time } from '../../system/page.ts'

const mySessionSchema = objectSchema({
  session_uuid: text,
  method: { enum: signInMethods, description: 'How it was started.' },
  client: { type: 'string', description: 'The browser, as it names itself.' },
  is_current: { type: 'boolean', description: 'Whether it is the session of this request.' },
  started_at: time,
  last_used_at: time,
  ends_at: { type: 'integer', description: 'When it ends unless it is used (epoch milliseconds).' },
})

/** Sessions of the caller. */
export const apiMySessionsSchema = objectSchema({ data: { type: 'array', items: mySessionSchema } })

async function mySessions(accountUuid: string, current: Session, { stores, sessions, clock }: Services) {
  const { limits } = sessions
  const endOf = (each: Session): number => Math.min(idleEnd(each, limits), lastEnd(each, limits))
  const all = await stores.sessions.ofAccount(accountUuid)
  return {
    data: all
      .filter((each) => clock.now() < endOf(each))
      .map((each) => ({
        session_uuid: each.uuid,
        method: each.method,
        client: each.client,
        is_current: each.uuid === current.uuid,
        started_at: each.createdAt,
        last_used_at: each.lastUsedAt,
        ends_at: endOf(each),
      })),
  }
}

const listMySessions = defineRoute({
  method: 'GET',
  path: '/me/sessions',
  access: 'self',
  summary: 'The open sessions of the person, newest first.',
  answer: apiMySessionsSchema,
  async handle({ caller }, services) {
    const { account, session } = requirePerson(caller)
    return { body: await mySessions(account.uuid, session, services) }
  },
})

const endOtherSessions = defineRoute({
  method: 'DELETE',
  path: '/me/sessions',
  access: 'self',
  summary: 'Signs out everywhere else: ends all sessions of the person except this one.',
  answer: apiMySessionsSchema,
  async handle({ caller }, services) {
    const { account, session } = requirePerson(caller)
    await services.stores.sessions.endOthers(account.uuid, session.uuid, caller.actor)
    return { body: await mySessions(account.uuid, session, services) }
  },
})

const endMySession = defineRoute({
  method: 'DELETE',
  path: '/me/sessions/{session}',
  access: 'self',
  summary: 'Ends one session of the person.',
  answer: apiMySessionsSchema,
  async handle({ params, caller }, services) {
    const { account, session } = requirePerson(caller)
    const own = await services.stores.sessions.ofAccount(account.uuid)
    const ended = own.find(({ uuid }) => uuid === params.session.toLowerCase())
    if (ended === undefined) throw new RequestError('session_not_found', 'You have no such session.')
    await services.sessions.end(ended, caller.actor)
    return { body: await mySessions(account.uuid, session, services) }
  },
})

export const mySessionRoutes = [listMySessions, endOtherSessions, endMySession]
