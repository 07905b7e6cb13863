import {
  collectPages,
  objectsAt,
  SkillError,
  textAt,
  type HttpClient,
  type HttpResponse,
  type JsonObject,
} from 'tocsin/plugin'

/** The schema of a channel's id. */
export const channelSchema = {
  type: 'string',
  maxLength: 300,
  pattern: '^19:[A-Za-z0-9_-]+@thread\\.(?:tacv2|skype)$',
  patternErrorMessage: 'must begin with 19: and end with @thread.tacv2',
  description:
    'The ID of the channel, such as 19:…@thread.tacv2. It is in the link to the channel, percent-encoded.',
} as const

export const conversationSchema = {
  type: 'string',
  maxLength: 500,
  pattern: '^[A-Za-z0-9][A-Za-z0-9:@._;=-]*$',
  patternErrorMessage: 'must be the ID of a conversation',
  description: 'The conversation that post_message gives.',
} as const

export const activitySchema = {
  type: 'string',
  maxLength: 200,
  pattern: '^[A-Za-z0-9][A-Za-z0-9:_-]*$',
  patternErrorMessage: 'must be the ID of a message',
  description: 'The ID of the message that post_message gives.',
} as const

export const activities = (conversation: string, ...more: readonly string[]) => [
  'v3',
  'conversations',
  conversation,
  'activities',
  ...more,
]

/** A text that the answer must have. After a write, an answer without it leaves the outcome open. */
export function requireId(response: HttpResponse, name: string): string {
  const id = textAt(response.json(), name)
  if (id !== null && id !== '') return id
  throw new SkillError('bad_response', `the answer of the bot service has no ${name}`, {
    hint: 'check base_url: a proxy may have answered instead',
  })
}

export interface Member {
  /** Of the person for this bot: `29:…`. */
  readonly id: string
  readonly object_id?: string
  readonly name?: string
  readonly email?: string
  readonly user_principal_name?: string
}

/** Members of a team, page by page. */
export function readMembers(
  http: HttpClient,
  team: string,
  limit: number,
  keep?: (member: Member) => boolean,
) {
  return collectPages<Member>({
    limit,
    pageSize: 200,
    idOf: ({ id }) => id,
    ...(keep && { keep }),
    async fetch({ cursor }) {
      const query = { pageSize: 200, ...(cursor !== undefined && { continuationToken: cursor }) }
      const body = (await http.get(['v3', 'conversations', team, 'pagedmembers'], { query })).json()
      return {
        items: objectsAt(body, 'members').flatMap(memberOf),
        next: textAt(body, 'continuationToken'),
      }
    },
  })
}

function memberOf(member: JsonObject): readonly Member[] {
  const id = textAt(member, 'id')
  if (id === null) return []
  const fields = {
    object_id: textAt(member, 'aadObjectId') ?? textAt(member, 'objectId'),
    name: textAt(member, 'name'),
    email: textAt(member, 'email'),
    user_principal_name: textAt(member, 'userPrincipalName'),
  }
  return [{ id, ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) }]
}
