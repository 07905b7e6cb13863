import { SkillError, textAt, valueAt, type HttpClient } from 'tocsin/plugin'
import { callWebApi, requireText } from './web-api.ts'

/** An e-mail address, or a user id of the messaging system. */
export const personPattern = '^([UW][A-Z0-9]{2,30}|[^@\\s]{1,64}@[^@\\s]{1,255})$'

/** Somebody who can answer. */
export interface FoundPerson {
  /** User id. */
  readonly asked: string
  /** E-mail address; absent for those who were named by their user id. */
  readonly asked_name?: string
}

export async function findPerson(http: HttpClient, user: string): Promise<FoundPerson> {
  if (!user.includes('@')) return { asked: user }
  const method = 'users.lookupByEmail'
  const answer = await callWebApi(http, method, { email: user })
  const found = valueAt(answer, 'user')
  if (valueAt(found, 'is_bot') === true || valueAt(found, 'deleted') === true) {
    throw new SkillError('messaging_user_disabled', 'the account of this address is a bot, or deactivated', {
      hint: 'ask somebody else',
    })
  }
  const email = textAt(valueAt(found, 'profile'), 'email') ?? user
  return { asked: requireText(method, found, 'id'), asked_name: email }
}

/** The id of the direct conversation with a person; opened if there is none. */
export async function openConversation(http: HttpClient, userId: string): Promise<string> {
  const method = 'conversations.open'
  const answer = await callWebApi(http, method, { users: userId })
  return requireText(method, valueAt(answer, 'channel'), 'id')
}
